"""`datasette mouvements keys ...`: keys by account, while the service runs or not."""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
# What the store is called, and whether it is a new file.
Place = dict[str, object]
Printed = tuple[object, list[str]]
_BOUNDS = Config.__dataclass_fields__["quota"].metadata


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


def of_store(command: Callable[..., Printed], may_create: bool = False) -> Callable[..., None]:
    """A command with --internal, --store and --json, which gets the store, open, and what it is called in messages.

    It returns what is printed: data for --json, else lines. A refusal ends it with status 1.
    """

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
    def run(
        context: click.Context, /, internal: Path, url: str, as_json: bool, **arguments: Any
    ) -> None:
        if url and context.get_parameter_source("internal") is ParameterSource.COMMANDLINE:
            if context.get_parameter_source("url") is ParameterSource.COMMANDLINE:
                raise click.UsageError("Give --internal or --store, not both")
            url = ""  # the command line prevails over the environment
        place = {
            "store": "PostgreSQL" if url else str(internal.absolute()),
            "new": not url and not internal.exists(),
        }
        try:
            if place["new"] and not may_create:
                raise AccountError(
                    f"{place['store']} does not exist: no key was ever created there"
                )
            with contextlib.closing(open_store(url, internal, patient=True)) as store:
                store.prepare()
                data, lines = command(store, place, **arguments)
        except (AccountError, StoreUnavailable, config.ConfigError) as error:
            click.echo(f"Refused: {error}", err=True)
            sys.exit(1)
        for line in [json.dumps(data)] if as_json else lines:
            click.echo(line)

    return run


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
@functools.partial(of_store, may_create=True)
def create(store: Store, place: Place, account: str, quota: int | None) -> Printed:
    """Make a key for ACCOUNT and print it, this once; refused if ACCOUNT has a live key."""
    return _issue_key(store.create, place, account, quota)


@keys.command()
@account_argument
@quota_option
@of_store
def rotate(store: Store, place: Place, account: str, quota: int | None) -> Printed:
    """Make a new key for ACCOUNT; its live key ends at once.

    The account keeps its quota unless --quota gives another, and what it used today.
    """
    return _issue_key(store.rotate, place, account, quota)


@keys.command()
@account_argument
@of_store
def revoke(store: Store, place: Place, account: str) -> Printed:
    """End the live key of ACCOUNT at once."""
    record = store.revoke(account, _now())
    return record._asdict(), [f"{account}: {_describe(record)}"]


@keys.command("list")
@of_store
def list_keys(store: Store, place: Place) -> Printed:
    """List the keys of every account, ended keys included."""
    records = store.list(_now())
    lines = [f"{record.account}: {_describe(record)}" for record in records]
    return [record._asdict() for record in records], lines


@keys.command(help=f"Show the keys of ACCOUNT and its use of the last {RECENT} days.")
@account_argument
@of_store
def show(store: Store, place: Place, account: str) -> Printed:
    now = _now()
    records = store.show(account, now)
    if not records:
        raise AccountError(f"{account} never had a key")
    days = store.days(account, last_days(now)[0])
    lines = [*map(_describe, records), *(f"{day}  {used}" for day, used in days.items())]
    return {"account": account, "keys": [r._asdict() for r in records], "days": days}, lines


def _issue_key(
    record_it: Callable[..., KeyRecord], place: Place, account: str, quota: int | None
) -> Printed:
    """Make a key and have it recorded: the only place where one is ever shown."""
    key = key_form.issue()
    record = record_it(account, key_form.digest(key), key_form.prefix(key), _now(), quota)
    # In a wrong folder its key opens nothing: that the store is new is said.
    alone = ", a new file: only a service over it knows the key" if place["new"] else ""
    click.echo(
        f"The key of {account}, shown this once only: keep it safe. Kept in {place['store']}{alone}.",
        err=True,
    )
    # The key alone on standard output, for `KEY=$(datasette mouvements keys create ...)`.
    return {"key": key, **record._asdict(), **place}, [key]


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
