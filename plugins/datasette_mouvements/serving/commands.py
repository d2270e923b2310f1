"""`datasette mouvements serve`, and `contact`, which publish.sh asks before it publishes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.core import ParameterSource
from datasette.utils import BadMetadataError, StartupError, parse_metadata, resolve_env_secrets

from parlement_lists.regular_file import open_regular, read_text

from .. import config
from ..config import Config, ConfigError
from ..keys import open_store
from ..keys.keys import digest, issue, prefix
from ..keys.sqlite import SqliteStore
from ..keys.store import AccountError, Store, StoreUnavailable
from .server import instance, listen, parse_options, run
from .startup import check_settings, refuse_invented

# A first key is printed only at a terminal of this machine: other output may be kept in logs.
LOOPBACK = ("127.0.0.1", "::1", "localhost")
METADATA = Path("metadata.yml")
SCRIPT = Path("data/exemple/listes.py")
# As it was called, so that a command that names it can be copied: PATH may lack it.
PROGRAM = "datasette" if sys.argv[0].endswith("__main__.py") else shlex.quote(sys.argv[0])
# Options of `datasette serve` about its own server, or for one request and no server.
NOT_SERVED = "host port uds ssl_keyfile ssl_certfile reload root open_browser get headers token actor".split()


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.option(
    "--db",
    "database",
    default=Path("data/movements.db"),
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Movements database; made from the invented sample if there is none",
)
@click.option(
    "--internal",
    default=Path("var/internal.sqlite3"),
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Database of keys and quotas",
)
@click.option(
    "--port",
    default=8001,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on")
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes that answer requests",
)
@click.pass_context
def serve(
    context: click.Context,
    database: Path,
    internal: Path,
    port: int,
    host: str,
    workers: int,
) -> None:
    """Make the databases that are missing, then serve.

    It also takes the options of `datasette serve`, except those of its server.
    """
    if database.exists():
        _refuse_irregular(database)
    else:
        _build_sample(database)
    options = datasette_options(database, internal, context.args)
    # Everything is checked here first: in a worker a wrong setting is a traceback.
    try:
        datasette = instance(options)
        config = check_settings(datasette) or Config()
        store = open_store(config.store, internal, patient=True)
        SqliteStore(internal).prepare()
        bound = listen(host, port)
    except (BadMetadataError, ConfigError, StartupError, StoreUnavailable) as error:
        raise click.ClickException(str(error)) from None
    address = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"
    address += datasette.setting("base_url").rstrip("/")
    with closing(store):
        key = _first_key(store) if host in LOOPBACK and sys.stdout.isatty() else None
    # The store's address is not shown, because it may hold a password: `keys` finds it in the environment.
    where = "" if config.store else f"--internal {internal}"
    _welcome(address, key, where)
    if host not in LOOPBACK and not config.public_url:
        click.echo(
            "Warning: public_url is not set, so that pages take their address from each request's"
            " Host header. Set public_url in metadata.yml.",
            err=True,
        )
    run(options, bound, workers)


def datasette_options(database: Path, internal: Path, extra: Sequence[str]) -> list[str]:
    """The options of `datasette serve` for these files: the `extra` ones, and ours where they say nothing.

    Raises click.UsageError for an option that `datasette serve` does not have, or that has no effect here.
    """
    # No page shows the facets that Datasette suggests, and to find them takes much of the explorer's time.
    options = [str(database), "--internal", str(internal), "--setting", "suggest_facets", "off"]
    options += extra
    with parse_options(options) as context:
        for name in NOT_SERVED:
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"--{name.replace('_', '-')} of `datasette serve` has no effect here:"
                    " see `datasette mouvements serve --help`"
                )
        if METADATA.exists() and context.params["metadata"] is None:
            options += ["--metadata", str(METADATA)]
    return options


def _build_sample(database: Path) -> None:
    """Build the invented sample that a first start serves, from the lists that a script of the repository writes."""
    if not SCRIPT.exists():
        raise click.UsageError(
            f"{database} does not exist; build it first: {PROGRAM} mouvements build {database} ..."
        )
    with TemporaryDirectory(prefix="mouvements-") as folder:
        build = [sys.executable, "-m", "datasette_mouvements", "build", str(database)]
        build += ["--invented", "--source", "suivi", "--lists", f"{folder}/listes"]
        build += ["--members", f"{folder}/elus", "--corrections", f"{folder}/corrections.yml"]
        try:
            subprocess.run([sys.executable, SCRIPT, folder], check=True)
            subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        except subprocess.CalledProcessError:  # it has said why
            raise click.ClickException(f"{database} was not built") from None
    click.echo(f"{database}: invented movements, from the lists of {SCRIPT}")


def _refuse_irregular(database: Path) -> None:
    """Refuse a pipe, for which SQLite would wait, and a file that cannot be read."""
    try:
        open_regular(database).close()
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None


def _welcome(address: str, key: str | None, where: str) -> None:
    """Print the address, and how to get a key; or the first key."""
    click.echo(f"Serving at {address} (pages) and {address}/v1/mouvements (JSON, with a key)")
    if key:
        click.echo("A first key, for the account `local`; it is not shown again. Try it:\n")
        click.echo(f'curl -H "Authorization: Bearer {key}" "{address}/v1/mouvements?limit=2"\n')
    else:
        click.echo(f"Keys: {PROGRAM} mouvements keys create ACCOUNT {where}".rstrip())


def _first_key(store: Store) -> str | None:
    """A key for the account `local`, if no account ever had one."""
    now = datetime.now(UTC)
    try:
        store.prepare()
        if store.list(now):
            return None
        key = issue()
        store.create("local", digest(key), prefix(key), now)
    except (
        StoreUnavailable,
        AccountError,
    ):  # the service waits for its store; another start was first
        return None
    return key


@click.command("contact")
@click.option(
    "--metadata",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default="metadata.yml",
    show_default=True,
    help="Settings to read",
)
@click.option(
    "--db",
    "database",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Refuse invented people under a public_url",
)
def contact_command(metadata: Path, database: Path | None) -> None:
    """Print which of public_url and contact are set: the names, one a line, not the values."""
    names = ("public_url", "contact")
    try:
        described = parse_metadata(read_text(metadata))
        plugins = described.get("plugins") if isinstance(described, dict) else None
        block = (plugins.get(config.PLUGIN) if isinstance(plugins, dict) else None) or {}
        if not isinstance(block, dict):
            raise config.ConfigError(f"plugins.{config.PLUGIN} must be a mapping of settings")
        # Only these are resolved: `store` may hold a password.
        written = {name: block.get(name) for name in (*names, "allow_invented")}
        settings = config.read(resolve_env_secrets(written, os.environ))
        refuse_invented(settings, str(database) if database else None)
    except StartupError as error:
        raise click.ClickException(str(error)) from error
    except (config.ConfigError, BadMetadataError, ValueError) as error:
        raise click.ClickException(f"{metadata}: {error}") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error
    for name in names:
        if getattr(settings, name).strip():
            click.echo(name)
