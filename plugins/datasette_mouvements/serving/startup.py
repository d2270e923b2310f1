"""From Datasette's startup to a service, and back: settings checked, data adopted, store prepared."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import tempfile
from pathlib import Path

from datasette.app import Datasette
from datasette.utils import StartupError

from .. import config as settings
from .. import logs
from ..access import open_store
from ..access.stores.internal import prepare_internal
from ..access.stores.store import Store, StoreUnavailable
from ..api import gauges
from ..api.routes import attach, routes_of
from ..api.service import Service
from ..config import PLUGIN, Config, ConfigError
from ..dataset.served.live import CLOSE_AFTER, Live
from ..dataset.served.recognition import find_movements
from ..dataset.served.snapshot import Snapshot
from .database import BOUNDS_LENGTH, BoundedDatabase
from .image_secret import warn_of_image_secret

log = logging.getLogger(__name__)
_LIVE = "_mouvements_live"
STORE_RETRY = 1.0
# A container that was given no place for keys is looked at when someone reads its log, not before.
TELL_EVERY = 60.0


async def prepare(datasette: Datasette) -> None:
    """What must be done before core opens its databases; StartupError says what is wrong.

    The internal database's file is made ready, one process after the other; and core is given the
    movements as they can be served, since it would not start on a file that cannot.
    """
    config = _settings(datasette)
    if config is None:
        return
    path = _internal_path(datasette)
    internal = datasette.get_internal_database()
    if not internal.is_temp_disk:
        if not Path(internal.path).parent.is_dir():
            # To do: nothing on a first start on a disk. In a container, mount the volume: keys go
            # with the container otherwise.
            log.warning(
                "the folder for keys was not there: if a volume should be, it is not mounted"
            )
        try:
            await asyncio.to_thread(prepare_internal, internal.path)
        except StoreUnavailable as error:
            raise StartupError(f"The internal database cannot hold keys: {error}") from None
    live = Live(
        # The path is not resolved: a link may come to point to another file.
        Path(datasette.databases[config.database].path).absolute(),
        (path.parent if path else _own_folder()) / "served",
        lambda snapshot: _adopt(datasette, config.database, snapshot),
    )
    await live.start()
    if live.snapshot is None:
        _serve_memory(datasette, config.database)
    # Core's own, where --memory or --crossdb asks for it: those who pay write SQL there too.
    if "_memory" in datasette.databases:
        _serve_memory(datasette, "_memory")
    setattr(datasette, _LIVE, live)


async def start(datasette: Datasette) -> None:
    """Make the instance serve; StartupError names what is wrong and what to give instead."""
    config = _settings(datasette)
    if config is None:
        return
    live: Live = getattr(datasette, _LIVE)
    try:
        store = open_store(config.store, _internal_path(datasette))
    except ConfigError as error:
        raise StartupError(str(error)) from None
    prepared = await _prepare(store, config)
    service = Service(config, live, store, datasette.setting("base_url").rstrip("/"))
    gauges.observe(service)
    attach(datasette, service)
    logs.keep_private(config.database, service.prefix)
    warn_of_image_secret(Path())
    if config.contact_missing:
        # To do: set `contact`.
        log.warning(
            "public_url is set and contact is not: whoever is named in these data has nobody to write"
            " to; the pages say so until contact is set"
        )
    if not BOUNDS_LENGTH:
        # To do: uninstall pysqlite3, or use a Python whose own SQLite is 3.34 or newer.
        log.warning(
            "this SQLite module cannot bound the length of a value: the SQL of an account can take the"
            " memory of the process"
        )
    datasette.add_background_task(lambda _: live.watch(), name="mouvements-live")
    datasette.add_background_task(
        lambda _: service.refusal_counts.watch(), name="mouvements-refused"
    )
    if not prepared:
        datasette.add_background_task(lambda _: _prepare_later(service), name="mouvements-store")
    if not service.keeps_keys:
        datasette.add_background_task(lambda _: _tell_what_keys_lack(), name="mouvements-keys")
    gc.collect()
    gc.freeze()  # what was loaded lives as long as the process: no collection needs to look at it


def _settings(datasette: Datasette) -> Config | None:
    """The settings; None for an instance to be left alone.

    It has no movements and no settings for this plugin: the plugin may be installed where other
    things are served.
    """
    given = datasette.plugin_config(PLUGIN)
    try:
        settings.refuse_written_password(
            ((datasette.config or {}).get("plugins") or {}).get(PLUGIN)
        )
        config = settings.read(given)
    except ConfigError as error:
        raise StartupError(str(error)) from None
    logs.set_up(config.log_requests)  # before what is found is told, once
    if find_movements(datasette, config.database, given is not None):
        return config
    if given is None:
        return None
    raise StartupError(
        f"No database is called {config.database!r} (plugins.{PLUGIN}.database);"
        " serve data/movements.db, or the file that holds the movements"
    )


def checked(datasette: Datasette) -> Config | None:
    """The settings, and a right place for keys; StartupError if not. Writes nothing; see `_settings`."""
    config = _settings(datasette)
    if config is not None:
        _internal_path(datasette)
    return config


async def stop(datasette: Datasette) -> None:
    """Finish the charges under way, write what was refused, close the files."""
    routes = routes_of(datasette)
    if routes is not None:
        await routes.service.refusal_counts.write()
        routes.service.close()


def _internal_path(datasette: Datasette) -> Path | None:
    """The internal database's file; None if it is temporary, and keys cannot be kept in it."""
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
    """Where copies go when there is no internal database to put them beside."""
    folder = Path(tempfile.gettempdir()) / f"datasette-mouvements-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise StartupError(f"{folder} is not ours: remove it")
    return folder


async def _prepare(store: Store, config: Config) -> bool:
    try:
        await asyncio.to_thread(store.prepare)
    except StoreUnavailable as error:
        if not config.store:
            raise StartupError(f"The internal database cannot hold keys: {error}") from None
        # To do: see that PostgreSQL runs and can be reached. The service waits for it.
        log.error("the store of keys does not answer, trying again until it does: %s", error)
        return False
    return True


async def _tell_what_keys_lack() -> None:
    while True:
        # To do: give one of the two. Pages are served meanwhile. Said once a minute.
        log.error(
            "keys have no place that lasts, /v1 answers 503: give Datasette a file on a lasting"
            " disk (--internal), or the setting store"
        )
        await asyncio.sleep(TELL_EVERY)


async def _prepare_later(service: Service) -> None:
    while True:
        await asyncio.sleep(STORE_RETRY)
        try:
            await asyncio.to_thread(service.charge_queue.store.prepare)
        except StoreUnavailable:
            continue
        return


def _adopt(datasette: Datasette, name: str, snapshot: Snapshot) -> None:
    _serve_version(datasette, name, snapshot)
    # The first version is adopted before there is a service.
    if (routes := routes_of(datasette)) is not None:
        routes.service.speak_for(snapshot)


def _serve_version(datasette: Datasette, name: str, snapshot: Snapshot) -> None:
    """Have Datasette's own pages read the version that /v1 answers from."""
    old = datasette.databases[name]
    new = BoundedDatabase(datasette, path=str(snapshot.path), is_mutable=False)
    new.name, new.route = name, old.route
    new.cached_hash = snapshot.edition  # else Datasette would hash the whole file
    if datasette.inspect_data:
        datasette.inspect_data = {k: v for k, v in datasette.inspect_data.items() if k != name}
    datasette.databases = {**datasette.databases, name: new}
    # Pages under way have ended by then, and the copy that they read is still there.
    asyncio.get_running_loop().call_later(CLOSE_AFTER - 1, old.close)


def _serve_memory(datasette: Datasette, name: str) -> None:
    """Have Datasette's pages find an empty database of that name, within the bounds of ours.

    The movements are one until there is a file that can be read.
    """
    old = datasette.databases[name]
    empty = BoundedDatabase(datasette, is_mutable=False, is_memory=True)
    empty.name, empty.route = name, old.route
    datasette.databases = {**datasette.databases, name: empty}
    old.close()
