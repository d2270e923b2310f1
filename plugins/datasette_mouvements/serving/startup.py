"""How a Datasette instance becomes a service and ends: settings, data, store of keys."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import tempfile
from pathlib import Path

from datasette.app import Datasette
from datasette.utils import StartupError

from .. import config as settings
from .. import logs
from ..api.front import attach, front_of
from ..api.service import Service
from ..config import PLUGIN, Config, ConfigError
from ..dataset.connections import find_movements, is_invented
from ..dataset.served import DataVersion, NotServable, Served
from ..keys import open_store
from ..keys.sqlite import SqliteStore
from ..keys.store import Store, StoreUnavailable
from ..pages.core import tables
from ..pages.site import site_of
from .daily import DailyWork
from .database import QuietDatabase

log = logging.getLogger(__name__)
_SERVICE = "_mouvements_service"
STORE_RETRY = 1.0  # seconds


async def prepare(datasette: Datasette) -> None:
    """Prepare what core opens next; StartupError says what is wrong.

    The tables of the internal database are made, by one process after the other. Core gets the version of
    the movements that is served, or an empty database: it would not start on a broken file.
    """
    config = check_settings(datasette)
    if config is None:
        return
    tables.configure(datasette, config.database)
    path = _internal_path(datasette)
    if path is not None:
        if not path.parent.is_dir():
            # To do: nothing on a first start on a disk. In a container, mount the volume: keys go
            # with the container otherwise.
            log.warning(
                "the folder for keys does not exist: if it should be a volume, that is not mounted"
            )
        try:
            await asyncio.to_thread(SqliteStore(path).prepare)
        except StoreUnavailable as error:
            raise StartupError(f"The internal database cannot hold keys: {error}") from None
    served = Served(
        # The path is not resolved: a link may later point to another file.
        Path(datasette.databases[config.database].path).absolute(),
        (path.parent if path else _own_folder()) / "served",
        lambda version: _adopt(datasette, config.database, version),
        lambda version: _examine(config, version),
    )
    original = datasette.databases[config.database]
    await served.start()
    if served.version is None:
        _adopt(datasette, config.database, None)
    original.close()
    try:
        store = open_store(config.store, path)
    except ConfigError as error:
        raise StartupError(str(error)) from None
    service = Service(config, served, store, datasette.setting("base_url").rstrip("/"))
    setattr(datasette, _SERVICE, service)


async def start(datasette: Datasette) -> None:
    """Make the instance serve what was prepared."""
    service: Service | None = getattr(datasette, _SERVICE, None)
    if service is None:
        return
    attach(datasette, service)
    logs.keep_private()
    site_of(datasette)  # with its templates, which no visitor waits for
    if not (service.invented or service.config.contact.strip()):
        # To do: set `contact`.
        log.warning("contact is not set: who is named in these data has nobody to write to")
    datasette.add_background_task(lambda _: service.served.watch(), name="mouvements-served")
    daily = DailyWork(service)
    datasette.add_background_task(lambda _: daily.watch(), name="mouvements-daily")
    if service.config.store:  # the internal database was prepared before core opened it
        store = service.charging.store
        try:
            await asyncio.to_thread(store.prepare)
        except StoreUnavailable as error:
            # To do: see that PostgreSQL runs and can be reached. The service waits for it.
            log.error("the store of keys does not answer, trying again until it does: %s", error)
            datasette.add_background_task(lambda _: _prepare_later(store), name="mouvements-store")
    if not service.keeps_keys:
        # To do: give `--internal` a file on a lasting disk, or set `store`.
        log.error(
            "keys have no place that lasts, /v1 answers 503: give Datasette a file on a lasting"
            " disk (--internal), or the setting store"
        )
    gc.collect()
    gc.freeze()  # what is loaded now lives as long as the process: no collection need look at it


def refuse_invented(config: Config, path: str | None) -> None:
    """Raises StartupError where a public service would show invented people, unless that is allowed."""
    if config.hides_invented and path and is_invented(Path(path)):
        raise StartupError(
            f"{path} holds invented people, and public_url is set: the command `daily lists"
            f" {path}` puts today's lists in their place; to show them all the same, set plugins.{PLUGIN}.allow_invented"
        )


def _examine(config: Config, version: DataVersion) -> None:
    """Raises NotServable where invented people take the place of others while the service runs."""
    if config.hides_invented and version.invented:
        raise NotServable("its people are invented, and public_url is set")


def check_settings(datasette: Datasette) -> Config | None:
    """The settings; None for an instance without movements and without settings for this plugin.

    It is left alone: the plugin may be installed where other databases are served. StartupError for wrong settings, a
    wrong place for keys, or invented people. Writes nothing.
    """
    block = datasette.plugin_config(PLUGIN)
    try:
        settings.refuse_written_password(
            ((datasette.config or {}).get("plugins") or {}).get(PLUGIN)
        )
        config = settings.read(block)
    except ConfigError as error:
        raise StartupError(str(error)) from None
    logs.set_up(config.log_requests)  # before the first message
    if find_movements(datasette, config.database, block is not None):
        _internal_path(datasette)
        # Before core is given a copy: what is told names the file that is to be replaced.
        refuse_invented(config, datasette.databases[config.database].path)
        return config
    if block is None:
        return None
    raise StartupError(
        f"No database is called {config.database!r} (plugins.{PLUGIN}.database);"
        " serve data/movements.db, or the file that holds the movements"
    )


async def stop(datasette: Datasette) -> None:
    """Refuse the charges that wait, close the files."""
    front = front_of(datasette)
    if front is not None:
        front.service.close()


def _internal_path(datasette: Datasette) -> Path | None:
    """The internal database's file; None if it is temporary: no key can be kept in it."""
    internal = datasette.get_internal_database()
    if internal.is_temp_disk:
        return None
    path = Path(internal.path).resolve()
    for database in datasette.databases.values():
        if database.path and Path(database.path).resolve() == path:
            raise StartupError(
                f"The internal database {path.name} holds keys and is served to everyone as"
                f" {database.name!r}: do not list it among the files"
            )
    return path


def _own_folder() -> Path:
    """The folder for copies where there is no internal database's folder."""
    folder = Path(tempfile.gettempdir()) / f"datasette-mouvements-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise StartupError(f"{folder} belongs to another user: remove it")
    return folder


async def _prepare_later(store: Store) -> None:
    """Prepare the store once it answers."""
    while True:
        await asyncio.sleep(STORE_RETRY)
        with contextlib.suppress(StoreUnavailable):
            return await asyncio.to_thread(store.prepare)


def _adopt(datasette: Datasette, name: str, version: DataVersion | None) -> None:
    """Have Datasette's pages read the version that /v1 answers from; an empty database where there is none."""
    if version is None:
        new = QuietDatabase(datasette, is_memory=True)
    else:
        new = QuietDatabase(datasette, path=str(version.path), is_mutable=False)
        new.cached_hash = version.edition  # else Datasette would hash the whole file
        version.on_close = new.close
    new.name, new.route = name, datasette.databases[name].route
    if datasette.inspect_data:
        datasette.inspect_data = {k: v for k, v in datasette.inspect_data.items() if k != name}
    datasette.databases = {**datasette.databases, name: new}
    # The first version is adopted before the service exists.
    if (front := front_of(datasette)) is not None:
        front.service.speak_for(version)
