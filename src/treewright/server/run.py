"""Running a service: a socket, a server, and an end at which nothing is lost."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn

from treewright.errors import UsageError
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["address_of", "is_loopback", "listen", "run"]

#: Connections that wait to be accepted.
BACKLOG = 2_048


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Open the socket to listen at; a taken port or an address that is not ours is a `UsageError`."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}: {error.strerror or error}") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        reason = "another program listens there; choose another --port" if taken else f"{error}"
        raise UsageError(f"cannot listen at port {port} of {host}: {reason}") from None
    return made


def address_of(listening: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def run(app: Starlette, settings: ServerSettings, listening: socket.socket, begun: Callable[[], None]) -> None:
    """Serve until a signal says that it is enough; then finish what has begun.

    Parameters
    ----------
    app : Starlette
    settings : ServerSettings
    listening : socket
    begun : function
        Called when requests are answered.
    """
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(settings.seconds) + 5,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    _Server(config, begun).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it is there, and that ends as a program does that has done its work."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer."""
        await super().startup(sockets)
        self._begun()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on Ctrl-C and SIGTERM; a second Ctrl-C does not wait."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(one, self.handle_exit) for one in signals]
        try:
            yield
        finally:
            for one, handler in zip(signals, before, strict=True):
                signal.signal(one, handler)
