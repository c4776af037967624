"""``treewright serve``: a page, an API, and the REST interface of UDPipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.command import command
from treewright.cli.options import Quiet
from treewright.cli.serving import Place, refuse_without_server, say_where, token_for
from treewright.errors import UsageError
from treewright.options import Options, option
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from treewright.parsing import TreeParser

__all__ = ["serve"]

#: The models that are served unless others are named.
DEFAULT = ("en", "en-constituents")


@dataclass(frozen=True)
class ServeOptions(Options):
    """What to serve."""

    model: tuple[str, ...] = option(
        (),
        "The name of a model, or a model file, of dependencies or constituents. May be given several times; the first "
        "of each kind answers unless a request names another.",
        shown="en, en-constituents",
    )
    access_log: bool = option(False, "Write a line for each request to standard error.")


@command
def serve(options: ServeOptions, place: Place, settings: ServerSettings, quiet: Quiet = False) -> None:
    """Serve a page where trees are seen and touched, an API, and the REST interface of UDPipe.

    The page is at the address that is printed, /openapi.json describes the API, and UDPipe's clients find /process and
    /models. Ctrl-C or SIGTERM ends the service when it has answered whatever it has begun. Needs the extra serve.

    **Examples**

    - `treewright serve --open`
    - `treewright serve --model my.tw --model en --port 9000`
    - `TREEWRIGHT_TOKEN=secret treewright serve --host 0.0.0.0 --access-log`
    - `treewright serve --max-sentences 100 --seconds 5 --queue 64`
    - `treewright serve --cors https://example.org`
    """
    refuse_without_server()
    from treewright.cli.console import notice
    from treewright.server.app import make_app
    from treewright.server.run import address_of, listen, run
    from treewright.server.warming import warm_up, warm_up_dual

    settings = replace(settings, token=token_for(place, settings.token))
    _log(options.access_log)
    models = _open_all(options.model or DEFAULT)
    listening = listen(place.host, place.port)
    address = address_of(listening)
    said = None if quiet else f"Serving {', '.join(models)} at {address} (Ctrl-C ends)"

    def prepare() -> None:
        warm_up(models, None if quiet else notice)

    app = make_app(models, settings, prepare=prepare, then=lambda: warm_up_dual(models))
    run(app, settings, listening, lambda: say_where(place, address, said))
    if not quiet:
        notice("All requests are answered; the service has ended.")


def _open_all(names: tuple[str, ...]) -> Mapping[str, TreeParser[Any]]:
    """Open the models, each under the name that it is known by: its own, or that of its file."""
    from pathlib import Path

    from treewright.parsing import TreeParser

    models: dict[str, TreeParser[Any]] = {}
    for name in names:
        known = Path(name).name.removesuffix(".tw")
        if known in models:
            raise UsageError(f"two models are called {known}: rename one of the files")
        models[known] = TreeParser.open(name)
    return models


def _log(requests: bool) -> None:
    """Write to standard error what goes wrong, and a line for each request if that is wanted."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name, level in (("treewright.server", logging.WARNING), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
    logging.getLogger("treewright.server.access").setLevel(logging.INFO if requests else logging.WARNING)
