"""The interface, in front of Datasette: which operation answers a path, and in what order a request is checked.

So core never reads the credentials of a /v1 request (it would answer a bad `Bearer dstok_...` itself, in its own
form), never answers an unknown /v1 path with HTML, and does none of the work that pages need.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .. import addresses
from ..dataset.schema import MOVEMENTS, STAYS, Resource
from ..dataset.served import DataVersion
from ..keys import keys
from ..keys.store import Charge
from ..refusal import SITE, Refusal, unavailable
from . import answers, description, parameters, replies
from .answers import Question
from .replies import Head, Reply
from .resources import MEMBER_SEARCH, SEARCH, STAY_SEARCH
from .service import HOST, App, Receive, Scope, Send, Service

log = logging.getLogger(__name__)
ALIAS = "/mouvements"
_WITH_ITEMS = {resource.path: resource for resource in (SEARCH, STAY_SEARCH)}
# An identifier is opaque: a maintainer's file may have its own.
_ITEM = re.compile(rf"({'|'.join(_WITH_ITEMS)})/(?!\.{{1,2}}$)([^/]+)")
_ATTRIBUTE = "_mouvements_front"
Ask = Callable[[DataVersion, bytes], Question]


class Operation(NamedTuple):
    """What answers a path: a request and its head, if the answer may be kept, -> the answer but for its quota.

    `rows` say whose version a refusal tells.
    """

    answer: Callable[[Scope, Head | None], Awaitable[Reply]]
    rows: Resource
    is_alias: bool = False


class Front:
    """The interface of one service, as a function from a request to its answer."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._operations = {
            path: Operation(
                partial(self._charged, partial(ask, service, resource), path == ALIAS),
                resource.rows,
                path == ALIAS,
            )
            for path, ask, resource in (
                (ALIAS, answers.of_page, SEARCH),
                (SEARCH.path, answers.of_page, SEARCH),
                (SEARCH.feed, answers.of_feed, SEARCH),
                (STAY_SEARCH.path, answers.of_page, STAY_SEARCH),
                (STAY_SEARCH.feed, answers.of_feed, STAY_SEARCH),
                (MEMBER_SEARCH.path, answers.of_page, MEMBER_SEARCH),
            )
        }
        self._operations |= {
            addresses.COVERAGE: Operation(self._coverage, STAYS),
            addresses.QUOTA: Operation(self._quota, MOVEMENTS),
            addresses.DESCRIPTION: Operation(self._description, MOVEMENTS),
        }
        answered = [path for path in self._operations if path != ALIAS]
        self._there_is = ", ".join([*answered, *(f"{path}/ID" for path in _WITH_ITEMS)])
        self._described = ("", b"")  # by `service.salt`: a new file may change the credits

    async def reply(self, scope: Scope) -> Reply | None:
        """The whole answer to a request; None for one that is not the interface's."""
        began = time.perf_counter()
        service, version = self.service, self.service.version
        asked = replies.asked_of(scope)
        # Whoever asks again sends the same bytes, which are read once.
        known = version.answers.get(asked) if version else None
        # Whether there is a key that can be one: what is wrong with another is said below.
        head, digest = known or (
            replies.head_of(scope),
            keys.parse(keys.credentials(scope["headers"]) or b""),
        )
        kept = version.answers.get(head) if version and head else None
        operation = None
        charge: Charge | None = None
        try:
            if version and kept is not None and digest is not None:
                charge = await service.pay(scope, digest, 0 if kept.status == 304 else 1)
                if known is None:  # once it was paid for: strangers push nothing out
                    version.answers.put(asked, (head, digest), replies.size_asked(asked))
                reply = kept
            elif (fault := _malformed(scope)) is not None:
                reply = replies.refuse(service, fault, service.url(""))
            elif (operation := self._operation(scope)) is None:
                return None
            elif scope["method"] == "OPTIONS":
                reply = self._told(replies.preflight(service), operation.rows)
            else:
                reply = await operation.answer(scope, head)
        except Refusal as refused:
            operation = operation or self._operation(scope)
            reply = replies.refuse(service, refused, service.origin(scope))
            if operation and operation.is_alias:
                reply = replies.canonical(service, reply, scope)
            if operation:
                reply = self._told(reply, operation.rows)
        reply = replies.with_quota(service, reply, charge)
        service.log(scope, reply.status, reply.key, began)
        return reply

    def _operation(self, scope: Scope) -> Operation | None:
        """What answers a path; None if it is none of the interface's."""
        raw = replies.raw_path(scope).partition(b"?")[0].decode("latin-1")
        path = self.service.below(unquote(raw))
        if "%2f" not in raw.lower():
            # A final slash changes nothing, as at /mouvements/, where core takes it away.
            if operation := self._operations.get(path[:-1] if path.endswith("/") else path):
                return operation
            if item := _ITEM.fullmatch(path):
                resource = _WITH_ITEMS[item[1]]
                ask = partial(answers.of_item, self.service, resource, item[2])
                return Operation(partial(self._charged, ask, False), resource.rows)
        if path == addresses.ROOT or path.startswith(f"{addresses.ROOT}/"):
            return Operation(self._not_found, MOVEMENTS)
        return None

    def _told(self, reply: Reply, rows: Resource) -> Reply:
        """An answer with the version of these rows that is served now."""
        versions = replies.version_headers(self.service.version, rows)
        return reply._replace(headers=[*reply.headers, *versions])

    async def _charged(self, ask: Ask, is_alias: bool, scope: Scope, head: Head | None) -> Reply:
        """Answer for one charge: key, then readiness, then quota, then parameters, then the search.

        It is made before the charge, for a key that is looked at first: a 503 costs nothing. Of the version that is
        served after the look, because another may be adopted meanwhile.
        """
        await self._check_method(scope)
        service = self.service
        digest = service.key_of(scope)
        looked = await service.pay(scope, digest, 0)
        version = service.version
        assert version is not None  # `pay` has refused the request else
        try:
            reply = self._made(ask, is_alias, scope, version)
        except Refusal as refused:
            refused.quota = looked
            if refused.status != 503:
                refused.quota = await service.pay(scope, digest)
            raise
        # Whoever sends another tag gets one answer of many: that is not kept.
        if head and (reply.status == 304) == bool(head[-1]):
            version.answers.put(head, reply, replies.size(head, reply))
        charge = looked if reply.status == 304 else await service.pay(scope, digest)
        return reply._replace(charge=charge)

    def _made(self, ask: Ask, is_alias: bool, scope: Scope, version: DataVersion) -> Reply:
        """The answer of a version, or that it is the one which the client has."""
        service = self.service
        try:
            question = ask(version, scope["query_string"])
            tags = replies.header(scope, b"if-none-match")
            if replies.matches(tags, question.tag):
                reply = replies.not_modified(service, question.tag)
            else:
                members, links = question.make()
                body = b"".join((b"{", *members, b",", service.credits))
                reply = replies.answer(service, body, question.tag, scope, links)
        except sqlite3.Error as error:
            # To do: look at the disk if it is said once; replace the file if it is said again. The request was
            # answered 503, uncharged.
            log.error("movements cannot be read: %s", type(error).__name__)
            raise unavailable() from None
        if is_alias:
            reply = replies.canonical(service, reply, scope, question.query)
        return self._told(reply, question.rows)

    async def _charge_known_key(self, scope: Scope) -> Charge | None:
        """Charge a 404 or a 405 to the key that came with it, if it is a known one."""
        try:
            return await self.service.charge(scope, self.service.key_of(scope), 1)
        except Refusal:
            return None

    async def _check_method(self, scope: Scope) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise replies.method_refused(scope, await self._charge_known_key(scope))

    async def _not_found(self, scope: Scope, head: Head | None) -> Reply:
        raise Refusal(
            "not_found",
            f"Rien ne répond à cette adresse. Il y a {self._there_is} ; la documentation est à"
            f" {SITE}{addresses.DOCUMENTATION}.",
            quota=await self._charge_known_key(scope),
        )

    async def _look(self, scope: Scope) -> Charge:
        """The key of what costs nothing and takes no parameter; a 400 is not charged either."""
        await self._check_method(scope)
        charge = await self.service.charge(scope, self.service.key_of(scope), 0)
        try:
            parameters.checked(scope["query_string"])
        except Refusal as refused:
            refused.quota = charge
            raise
        return charge

    async def _quota(self, scope: Scope, head: Head | None) -> Reply:
        """What the key has left."""
        return self._told(replies.quota(self.service, await self._look(scope), scope), MOVEMENTS)

    async def _coverage(self, scope: Scope, head: Head | None) -> Reply:
        """What lists there are of each chamber."""
        charge = await self._look(scope)
        version = self.service.version
        if version is None:
            raise unavailable(charge)
        body = b"".join((b"{", answers.coverage(self.service, version), b",", self.service.credits))
        return self._told(self._settled(body, scope), STAYS)._replace(charge=charge)

    async def _description(self, scope: Scope, head: Head | None) -> Reply:
        """The description of the interface; it needs no key and costs nothing."""
        await self._check_method(scope)
        if self._described[0] != self.service.salt:
            self._described = self.service.salt, description.document(self.service)
        text = description.at(self._described[1], self.service.origin(scope))
        return self._told(self._settled(text, scope), MOVEMENTS)

    def _settled(self, body: bytes, scope: Scope) -> Reply:
        """An answer that needs no search, or that it is the one which the client has."""
        tag = replies.tag_of(body)
        if replies.matches(replies.header(scope, b"if-none-match"), tag):
            return replies.not_modified(self.service, tag)
        return replies.answer(self.service, body, tag, scope)


def _malformed(scope: Scope) -> Refusal | None:
    """What is wrong with a request's head; None for HTTP as RFC 9112, sections 3.2 and 5, wants it."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) > 1 or (scope.get("http_version") == "1.1" and not hosts):
        return Refusal("malformed", "Une demande HTTP/1.1 porte un en-tête Host, et un seul.")
    if hosts and hosts[0] and not HOST.fullmatch(hosts[0]):
        return Refusal("malformed", "L’en-tête Host n’est pas le nom d’une machine.")
    if not replies.raw_path(scope).isascii():  # core would end in an error
        return Refusal("not_found", "L’adresse doit être en ASCII, le reste échappé par %.")
    return None


def front_of(datasette: Datasette) -> Front | None:
    """The instance's interface; None before startup, or where no movements are served."""
    return getattr(datasette, _ATTRIBUTE, None)


def attach(datasette: Datasette, service: Service) -> None:
    """Give the instance the interface that `front_of` finds."""
    setattr(datasette, _ATTRIBUTE, Front(service))


class Interface:
    """An ASGI application around another one, which gets what is not the interface's; HTTP alone passes."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        front = front_of(self.datasette) if scope["type"] == "http" else None
        reply = await front.reply(scope) if front else None
        if reply is None:
            await self.app(scope, receive, send)
        else:
            await replies.send_reply(reply, scope, send)
