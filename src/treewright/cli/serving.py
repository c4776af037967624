"""What the commands that serve something share: where they listen, who may ask, and what they say."""

from __future__ import annotations

import os
from dataclasses import dataclass

from treewright.errors import UsageError
from treewright.options import Options, option

__all__ = ["TOKEN", "Place", "refuse_without_server", "say_where", "token_for"]

#: Where the token may come from.
TOKEN = "TREEWRIGHT_TOKEN"


@dataclass(frozen=True)
class Place(Options):
    """Where to listen."""

    host: str = option("127.0.0.1", "The address to listen at; any but this machine's own needs a token.")
    port: int = option(8080, "The port to listen at; 0 is any that is free.", min=0, max=65_535)
    open: bool = option(False, "Open the page in a browser.")


def refuse_without_server() -> None:
    """Say what to install where Starlette or uvicorn is missing."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f'{" and ".join(missing)} cannot be imported: pip install "treewright[serve]"')


def token_for(place: Place, given: str | None) -> str | None:
    """Return the token that was given, or that of the environment; refuse a place that needs one and has none."""
    from treewright.server.run import is_loopback

    token = given or os.environ.get(TOKEN) or None
    if token is None and not is_loopback(place.host):
        raise UsageError(f"others can reach {place.host}: give a --token, or set {TOKEN}")
    return token


def say_where(place: Place, address: str, message: str | None) -> None:
    """Say that the page is there, unless there is no message, and open it if that is wanted."""
    from treewright.cli.console import notice

    if message is not None:
        notice(message)
    if place.open:
        import webbrowser

        webbrowser.open(address)
