"""`datasette mouvements keys ...`: keys by account, while the service runs or not."""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from .. import config
from ..config import Config
from . import keys as key_form
from . import open_store
from .quota_day import RECENT, last_days
from .store import AccountError, KeyRecord, Store, StoreUnavailable

INTERNAL = "var/internal.sqlite3"
ACCOUNT_MOST = 200
_BOUNDS = Config.__dataclass_fields__["quota"].metadata


class StoreOptions(NamedTuple):
    """The store that the options name, opened after the whole command line was checked."""

    internal: Path
    url: str
    as_json: bool

    @property
    def place(self) -> str:
        """What the store is called in messages: the file, whole, or that it is PostgreSQL."""
        return "PostgreSQL" if self.url else str(self.internal.absolute())

    @contextlib.contextmanager
    def open(self, may_create: bool = False) -> Iterator[Store]:
        """The store, with its tables; a refusal ends the command with status 1."""
        try:
            if not (self.url or may_create or self.internal.exists()):
                raise AccountError(f"{self.place} does not exist: no key was ever created there")
            with contextlib.closing(open_store(self.url, self.internal, patient=True)) as store:
                store.prepare()
                yield store
        except (AccountError, StoreUnavailable, config.ConfigError) as error:
            click.echo(f"Refused: {error}", err=True)
            sys.exit(1)


def _check_account(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not 1 <= len(value) <= ACCOUNT_MOST or not value.isprintable() or value != value.strip():
        raise click.BadParameter(
            f"an account is 1 to {ACCOUNT_MOST} printable characters, no space at either end"
        )
    return value


def _check_url(context: click.Context, parameter: click.Parameter, value: str) -> str:
    try:
        return config.read({"store": value}).store
    except config.ConfigError:
        # Not the setting's message: the option has another name.
        raise click.BadParameter("must start with postgresql://") from None


def store_options(command: Callable[..., None]) -> Callable[..., None]:
    """--internal, --store and --json; the command gets `options` (StoreOptions)."""

    @click.option(
        "--internal",
        type=click.Path(dir_okay=False, path_type=Path),
        default=INTERNAL,
        show_default=True,
        help="Internal database, which holds the keys",
    )
    @click.option(
        "--store",
        "url",
        envvar="MOUVEMENTS_STORE",
        default="",
        callback=_check_url,
        help="postgresql://..., instead of the internal database; with a password only as"
        " MOUVEMENTS_STORE in the environment",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON")
    @click.pass_context
    @functools.wraps(command)
    def with_store(
        context: click.Context, /, internal: Path, url: str, as_json: bool, **arguments: Any
    ) -> None:
        if url and context.get_parameter_source("internal") is ParameterSource.COMMANDLINE:
            if context.get_parameter_source("url") is ParameterSource.COMMANDLINE:
                raise click.UsageError("Give --internal or --store, not both")
            url = ""  # the command line prevails over the environment
        command(options=StoreOptions(internal, url, as_json), **arguments)

    return with_store


account_argument = click.argument("account", callback=_check_account)
quota_option = click.option(
    "--quota",
    type=click.IntRange(_BOUNDS["least"], _BOUNDS["most"]),
    help=f"Requests a day of this account, if not the setting's ({Config.quota} by default)",
)


@click.group()
def keys() -> None:
    """Create, rotate, revoke and list personal keys: one live key an account."""


@keys.command()
@account_argument
@quota_option
@store_options
def create(options: StoreOptions, account: str, quota: int | None) -> None:
    """Make a key for ACCOUNT and print it, this once; refused if ACCOUNT has a live key."""
    # In a wrong folder its key opens nothing: that the store is new is said.
    new = not options.url and not options.internal.exists()
    with options.open(may_create=True) as store:
        _issue_key(store.create, options, account, quota, new)


@keys.command()
@account_argument
@quota_option
@store_options
def rotate(options: StoreOptions, account: str, quota: int | None) -> None:
    """Make a new key for ACCOUNT; its live key ends at once.

    The account keeps its quota unless --quota gives another, and what it used today.
    """
    with options.open() as store:
        _issue_key(store.rotate, options, account, quota, new=False)


@keys.command()
@account_argument
@store_options
def revoke(options: StoreOptions, account: str) -> None:
    """End the live key of ACCOUNT at once."""
    with options.open() as store:
        record = store.revoke(account, _now())
    _print(options, record._asdict(), [f"{account}: {_describe(record)}"])


@keys.command("list")
@store_options
def list_keys(options: StoreOptions) -> None:
    """List the keys of every account, ended keys included."""
    with options.open() as store:
        records = store.list(_now())
    lines = [f"{record.account}: {_describe(record)}" for record in records]
    _print(options, [record._asdict() for record in records], lines)


@keys.command(help=f"Show the keys of ACCOUNT and its use of the last {RECENT} days.")
@account_argument
@store_options
def show(options: StoreOptions, account: str) -> None:
    with options.open() as store:
        now = _now()
        records = store.show(account, now)
        if not records:
            raise AccountError(f"{account} never had a key")
        days = store.days(account, last_days(now)[0])
    shown = {"account": account, "keys": [record._asdict() for record in records], "days": days}
    lines = [*map(_describe, records), *(f"{day}  {used}" for day, used in days.items())]
    _print(options, shown, lines)


def _print(options: StoreOptions, data: object, lines: list[str]) -> None:
    for line in [json.dumps(data)] if options.as_json else lines:
        click.echo(line)


def _issue_key(
    record_it: Callable[..., KeyRecord],
    options: StoreOptions,
    account: str,
    quota: int | None,
    new: bool,
) -> None:
    """Make a key, have it recorded, then print it: the only place where one is ever shown."""
    key = key_form.issue()
    record = record_it(account, key_form.digest(key), key_form.prefix(key), _now(), quota)
    if not options.as_json:
        alone = ", a new file: only a service over it knows the key" if new else ""
        click.echo(
            f"The key of {account}, shown this once only: keep it safe. Kept in {options.place}{alone}.",
            err=True,
        )
    # The key alone on standard output, for `KEY=$(datasette mouvements keys create ...)`.
    _print(options, {"key": key, **record._asdict(), "store": options.place, "new": new}, [key])


def _describe(record: KeyRecord) -> str:
    if record.ended_at:
        state = f"{record.ended_why} {record.ended_at}"
    else:
        quota = "the setting's quota" if record.quota is None else f"quota {record.quota}"
        state = f"live, {record.used_today} used today, {quota}"
    used = f"last used {record.last_used_at}" if record.last_used_at else "never used"
    return f"{record.prefix}...  created {record.created_at}, {used}, {state}"


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
