"""The plugin's settings: their names, meanings and bounds, checked once at startup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import quote

from parlement_lists import DISTRIBUTION, LATE_DAYS

from . import addresses

PLUGIN = DISTRIBUTION
# Addresses stand in headers between < and >.
_LICENCE_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_PUBLIC_URL = re.compile(r"https?://[^\s<>\"?#]*[^\s<>\"?#/]")
_PASSWORD = re.compile(r"//[^/@]*:[^@]*@|[?&]password=")


class ConfigError(Exception):
    """A setting is wrong; the message names it and says what is accepted."""


def _setting(default: Any, meaning: str, **bounds: Any) -> Any:
    return field(default=default, metadata={"meaning": meaning, **bounds})


@dataclass(frozen=True)
class Config:
    """The settings in force. Documentation and error messages are derived from these fields."""

    database: str = _setting("movements", "Name of the Datasette database of movements")
    quota: int = _setting(
        1000,
        "Requests a day of each account; a new key does not refill it",
        least=1,
        most=10_000_000,
    )
    licence: str = _setting(
        "Open Database License (ODbL) 1.0 – https://opendatacommons.org/licenses/odbl/1-0/",
        "Licence statement in every answer",
        filled=True,
    )
    attribution: str = _setting(
        "Mouvements des collaborateurs parlementaires, données mises à disposition sous la licence"
        " ODbL 1.0",
        "Text that reusers must credit, in every answer, followed by the sources of the lists",
        filled=True,
    )
    contact: str = _setting(
        "", "Mail address or page for questions, corrections and requests about personal data"
    )
    public_url: str = _setting(
        "", "Public address of the site without a final slash, for absolute links and error types"
    )
    store: str = _setting(
        "",
        "postgresql://..., where several machines share keys and quotas; empty: the internal database",
    )
    open_whole_file: bool = _setting(
        False,
        f"Give the file of all data ({addresses.WHOLE_FILE}) to everyone, without key or charge",
    )
    log_requests: bool = _setting(
        False,
        "Log each request to /v1: number of the key, status, duration; never a key, a name or a query",
    )
    late_days: int = _setting(
        LATE_DAYS,
        "Days without an accepted list after which a chamber is reported late",
        least=1,
        most=366,
    )

    allow_invented: bool = _setting(
        False, "Start over invented people although `public_url` is set"
    )

    @property
    def licence_address(self) -> str:
        """The first web address of the licence's statement, "" if it has none."""
        match = _LICENCE_ADDRESS.search(self.licence)
        address = match[0].rstrip(".,;:") if match else ""
        # The address may stand in parentheses, or contain some.
        if address.count(")") > address.count("("):
            address = address.rstrip(")")
        return quote(address, safe="%/:=&?~#+!$,;'@()*[]")

    @property
    def licence_name(self) -> str:
        """The licence's statement up to that address."""
        name = _LICENCE_ADDRESS.split(self.licence)[0].strip(" –-:;,(")
        return name or self.licence

    @property
    def hides_invented(self) -> bool:
        """Whether invented people are shown to nobody."""
        return bool(self.public_url) and not self.allow_invented

    @property
    def own_licence(self) -> bool:
        """Whether the licence is not the default one."""
        return self.licence != Config.licence


def read(block: Mapping[str, Any] | None) -> Config:
    """The settings of a `plugins: datasette-mouvements:` block; ConfigError names the wrong one."""
    if block is None:
        return Config()
    if not isinstance(block, Mapping):
        raise ConfigError(f"plugins.{PLUGIN} must be a mapping of settings, not {block!r}")
    settings_by_name = {f.name: f for f in fields(Config)}
    values = {}
    for name, value in block.items():
        setting = settings_by_name.get(name)
        if setting is None:
            raise ConfigError(
                f"plugins.{PLUGIN}.{name} is not a setting; known: {', '.join(settings_by_name)}"
            )
        if value is None:  # an environment variable ({"$env": ...}) that is not set
            continue
        values[name] = _check_value(name, value, type(setting.default), setting.metadata)
    return Config(**values)


def refuse_written_password(written: Any) -> None:
    """Refuse a password in the settings as they are written, before any $env is read.

    Datasette shows these to everyone at /-/config.
    """
    store = written.get("store") if isinstance(written, Mapping) else None
    if isinstance(store, str) and _PASSWORD.search(store):
        raise ConfigError(
            f"plugins.{PLUGIN}.store holds a password, which /-/config would show to everyone:"
            " put it in the environment and write {$env: MOUVEMENTS_STORE}"
        )


def _check_value(name: str, value: Any, kind: type, bounds: Mapping[str, Any]) -> Any:
    where = f"plugins.{PLUGIN}.{name}"
    if type(value) is not kind:
        expected = {int: "an integer", str: "a text", bool: "true or false"}[kind]
        raise ConfigError(f"{where} must be {expected}, not {value!r}")
    if kind is int and not bounds["least"] <= value <= bounds["most"]:
        raise ConfigError(
            f"{where} must be from {bounds['least']} to {bounds['most']}, not {value}"
        )
    if bounds.get("filled") and not str(value).strip():
        raise ConfigError(f"{where} must not be empty: every answer carries it")
    if name == "public_url" and value and not _PUBLIC_URL.fullmatch(str(value)):
        raise ConfigError(
            f"{where} must be https://HOST or http://HOST, without a final slash, not {value!r}"
        )
    if name == "store" and value and not str(value).startswith(("postgresql://", "postgres://")):
        # The value may hold a password: it is not repeated.
        raise ConfigError(f"{where} must start with postgresql://")
    return value
