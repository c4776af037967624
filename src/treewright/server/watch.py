"""Around every request: whether it may be asked, what every answer says, and what is counted and logged."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from treewright.server.errors import ServiceError, describe_error
from treewright.server.guard import Body, check_caller
from treewright.server.resources import to_bytes
from treewright.treebank.terminal import make_printable

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from treewright.server.metrics import Metrics
    from treewright.server.settings import ServerSettings

__all__ = ["ACCESS", "HEADERS", "Watch", "error_response"]

LOG = logging.getLogger(__name__)

#: Where a line for each request goes.
ACCESS = logging.getLogger("treewright.server.access")

#: What every answer says: a browser loads nothing from elsewhere, and nobody frames the page.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def error_response(error: ServiceError) -> Response:
    """Make the answer that says what was wrong."""
    headers = {"Cache-Control": "no-store", **error.headers}
    return Response(to_bytes(error.to_dict()), error.status, headers, "application/json")


class Watch:
    """Watches over an application: lets callers in, turns errors into answers, adds headers, counts and logs."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics, paths: Collection[str]) -> None:
        self.app, self.settings, self.metrics, self.paths = app, settings, metrics, frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, seen = time.monotonic(), {"status": 0, "bytes": 0}
        body = scope["treewright.body"] = Body(receive)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            else:
                seen["bytes"] += len(message.get("body", b""))
            await send(message)

        try:
            check_caller(scope["path"], Headers(scope=scope), self.settings)
            await self.app(scope, body, send_on)
        except Exception as error:
            described = describe_error(error)
            if described.code == "internal":
                LOG.exception("a defect, met at %s", make_printable(scope["path"][:200]))
            if seen["status"]:
                raise  # the answer has begun, so nothing else can be said than that it breaks off
            await body.drain(self.settings.max_body)
            await error_response(described)(scope, body, send_on)
        finally:
            self._note(scope, seen, time.monotonic() - start)

    def _note(self, scope: Scope, seen: dict[str, int], seconds: float) -> None:
        path = scope["path"]
        known = path if path in self.paths else "/page/" if path.startswith("/page/") else "other"
        self.metrics.count(known, seen["status"], seconds)
        if ACCESS.isEnabledFor(logging.INFO):
            client: Any = scope.get("client") or ("-",)
            what = f"{scope['method']} {make_printable(path[:200])}"
            ACCESS.info('%s "%s" %d %d bytes %.1f ms', client[0], what, seen["status"], seen["bytes"], 1e3 * seconds)
