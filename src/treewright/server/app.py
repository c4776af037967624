"""The application: which path is answered by what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from treewright.parsing import TreeParser
from treewright.server.answers import plan_constituents, plan_evaluation, plan_parse
from treewright.server.dual import plan_dual
from treewright.server.errors import ServiceError
from treewright.server.models import Models
from treewright.server.openapi import describe_api
from treewright.server.page_files import INDEX, page_file
from treewright.server.resources import to_bytes
from treewright.server.service import Service, Work
from treewright.server.settings import ServerSettings
from treewright.server.udpipe import Process, list_models, plan_process
from treewright.server.watch import Watch, error_response

__all__ = ["make_app"]


def make_app(
    models: Mapping[str, TreeParser[Any]],
    settings: ServerSettings | None = None,
    *,
    prepare: Callable[[], None] | None = None,
    then: Callable[[], None] | None = None,
    more: Sequence[BaseRoute] = (),
) -> Starlette:
    """Make the application that serves some models.

    Parameters
    ----------
    models : mapping
        Parsers by name; the first of each kind is the one that is used unless a request names another.
    settings : ServerSettings, optional
    prepare : function, optional
        What to do first, on a thread of its own: requests wait for it.
    then : function, optional
        What to do after that, while requests are answered: only those for dual decomposition wait for it.
    more : sequence of routes
        What else is answered.  ``app.state.service`` has the `Service`.

    Examples
    --------
    >>> import treewright
    >>> app = make_app({"en": treewright.load("en")})
    >>> app.state.service.models.default("dependencies")
    'en'
    """
    settings = settings or ServerSettings()
    service = Service(Models(models), settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if prepare is not None:
            service.prepare(prepare, then)
        yield
        service.close()

    routes = [*_routes(service), *more]
    around = _around(service, [route.path for route in routes if isinstance(route, Route)])
    app = Starlette(routes=routes, middleware=around, lifespan=lifespan, exception_handlers={HTTPException: _refuse})
    app.router.redirect_slashes = False  # an address that is nearly right is told so, too
    app.state.service = service
    return app


def _around(service: Service, paths: Sequence[str]) -> list[Middleware]:
    """List what stands around all requests."""
    watch = Middleware(Watch, settings=service.settings, metrics=service.metrics, paths=paths)
    if not service.settings.cors:
        return [watch]
    methods, headers, origins = ["GET", "POST"], ["Authorization", "Content-Type"], list(service.settings.cors)
    cors = Middleware(CORSMiddleware, allow_origins=origins, allow_methods=methods, allow_headers=headers)
    return [cors, watch]


def _routes(service: Service) -> list[Route]:
    """List what is answered."""

    async def live(request: Request) -> Response:
        return _json({"live": True})

    async def ready(request: Request) -> Response:
        return _json({"ready": service.is_ready}, 200 if service.is_ready else 503)

    async def metrics(request: Request) -> Response:
        return Response(service.metrics.render(service.gauges()), media_type="text/plain; version=0.0.4")

    async def models(request: Request) -> Response:
        return _json(service.models.describe(service.settings))

    async def openapi(request: Request) -> Response:
        return _json(describe_api(service.settings))

    async def udpipe_models(request: Request) -> Response:
        return _json(list_models(service.models))

    planners = {
        "/api/parse": plan_parse,
        "/api/constituents": plan_constituents,
        "/api/evaluate": plan_evaluation,
    }
    return [
        Route("/", _page, methods=["GET"]),
        Route("/page/{name}", _page, methods=["GET"]),
        Route("/api/models", models, methods=["GET"]),
        *(Route(path, Work(service, planner), methods=["POST"]) for path, planner in planners.items()),
        Route("/api/dual", Work(service, plan_dual, is_rare=True), methods=["POST"]),
        Route("/openapi.json", openapi, methods=["GET"]),
        Route("/models", udpipe_models, methods=["GET", "POST"]),
        Route("/process", Process(service, plan_process), methods=["GET", "POST"]),
        Route("/live", live, methods=["GET"]),
        Route("/ready", ready, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]


async def _page(request: Request) -> Response:
    """Answer with a file of the page."""
    found = page_file(request.path_params.get("name", INDEX))
    if found is None:
        raise ServiceError("not_found", "there is no such file of the page")
    content, media_type, tag = found
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


async def _refuse(request: Request, error: Exception) -> Response:
    """Say that there is nothing at a path, or that it takes another method."""
    assert isinstance(error, HTTPException)
    path = request.url.path[:80]
    if error.status_code == 405:
        message = f"{path} does not take {request.method}: see /openapi.json"
        return error_response(ServiceError("method", message, dict(error.headers or {})))
    return error_response(ServiceError("not_found", f"there is nothing at {path!r}: see /openapi.json"))


def _json(data: Any, status: int = 200) -> Response:
    return Response(to_bytes(data), status, {"Cache-Control": "no-store"}, "application/json")
