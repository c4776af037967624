"""Who may ask, and how many at once: checked before anything of a request is read.

Without a token a service is for programs on the same machine.  Pages of other sites run there, too, in browsers; so a
request is refused that a page of another origin makes, or that reached this machine under a name which somebody else
owns (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from treewright.server.errors import ServiceError
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Message, Receive

__all__ = ["Body", "Gate", "check_caller"]

#: What may be asked without a token: the page itself, and whether the service is there.
OPEN = ("/", "/page/", "/live", "/ready")

#: How much of a refused request is read, so that the client hears why: times the largest request, and seconds.
PATIENCE, SECONDS = 16, 2.0


def check_caller(path: str, headers: Mapping[str, str], settings: ServerSettings) -> None:
    """Raise a `ServiceError` unless whoever sent these headers may ask for a path."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if settings.token is None and not _is_own_name(host):
        raise ServiceError("forbidden", f"this service is not called {host[:80]!r}: ask 127.0.0.1, or set a token")
    if origin is not None and not {origin, "*"} & set(settings.cors) and urlsplit(origin).netloc != host:
        raise ServiceError("forbidden", f"pages of {origin[:80]!r} may not ask: start the service with --cors")
    if settings.token is None or path in OPEN or path.startswith("/page/"):
        return
    given = headers.get("authorization", "").removeprefix("Bearer ").strip()
    if not hmac.compare_digest(given.encode("utf-8", "replace"), settings.token.encode()):
        message = "this service needs a token: send the header Authorization: Bearer TOKEN"
        raise ServiceError("unauthorized", message, {"WWW-Authenticate": "Bearer"})


def _is_own_name(host: str) -> bool:
    """Return whether the name of a host is one that nobody else can own: localhost, or an address."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


class Gate:
    """Lets only so many requests in at a time."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._inside: dict[object, float] = {}  # each request → since when; the oldest comes first

    def __len__(self) -> int:
        return len(self._inside)

    def enter(self, visitor: object) -> None:
        """Let a request in, or say when to come back: by then the oldest may have been answered."""
        if len(self._inside) >= self.places:
            waited = time.monotonic() - next(iter(self._inside.values()))
            message = f"{self.places} requests are waiting or at work: try again in a moment"
            raise ServiceError("busy", message, {"Retry-After": str(1 + int(waited))}, limit=self.places)
        self._inside[visitor] = time.monotonic()

    def leave(self, visitor: object) -> None:
        """Make a place free."""
        self._inside.pop(visitor, None)


class Body:
    """The body of a request as it comes in."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._is_whole = receive, False

    async def __call__(self) -> Message:
        """Return the next message about the request."""
        message = await self._receive()
        self._is_whole = not (message["type"] == "http.request" and message.get("more_body", False))
        return message

    async def read(self, limit: int) -> bytes:
        """Read it all, unless it is too large."""
        found, size = [], 0
        while not self._is_whole:
            message = await self()
            if message["type"] == "http.disconnect":
                raise ServiceError("bad_request", "the connection was closed before the request was whole")
            found.append(message.get("body", b""))
            size += len(found[-1])
            if size > limit:
                raise ServiceError("body_too_large", f"the request has more than {limit:,} bytes", limit=limit)
        return b"".join(found)

    async def drain(self, limit: int) -> None:
        """Read on for a while and forget it: a client that is still sending does not hear what it is told."""
        size = 0
        try:
            async with asyncio.timeout(SECONDS):
                while not self._is_whole and size <= PATIENCE * limit:
                    size += len((await self()).get("body", b""))
        except TimeoutError:
            pass

    async def gone(self) -> None:
        """Wait until whoever asked has gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
