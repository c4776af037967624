"""A service at work: a request comes in, is cut into pieces of work, and is answered in time or refused."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from starlette.responses import Response

from treewright.server.errors import ServiceError, describe_error
from treewright.server.guard import Body, Gate
from treewright.server.jobs import Job, Plan, Workers
from treewright.server.metrics import Metrics
from treewright.server.models import Models
from treewright.server.resources import Resources, to_bytes
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["Planner", "Service", "Work"]

LOG = logging.getLogger(__name__)

#: Makes the plan of an answer from the body of a request.
Planner = Callable[[Resources, bytes], Plan]


class Service:
    """Models, and those who work with them.

    Attributes
    ----------
    models : Models
    settings : ServerSettings
    metrics : Metrics
    gate : Gate
        Who is being served.
    """

    def __init__(self, models: Models, settings: ServerSettings) -> None:
        self.models, self.settings = models, settings
        self.metrics, self.gate = Metrics(), Gate(settings.queue)
        self.at_hand = Resources(models, settings, self.metrics)
        self._ready = asyncio.Event()
        self._ready.set()

    @cached_property
    def workers(self) -> Workers:
        """The threads that parse, started when they are first needed."""
        return Workers(self.settings.threads)

    @property
    def is_ready(self) -> bool:
        """Whether requests are worked on; before, they wait, and no time runs."""
        return self._ready.is_set()

    def prepare(self, work: Callable[[], None]) -> None:
        """Do something first, such as compiling, on a thread of its own."""
        loop = asyncio.get_running_loop()
        self._ready.clear()

        def run() -> None:
            try:
                work()
            except Exception:
                LOG.exception("the service could not be prepared")
            finally:
                loop.call_soon_threadsafe(self._ready.set)

        threading.Thread(target=run, name="preparation", daemon=True).start()

    async def until_ready(self) -> None:
        """Wait until requests are worked on."""
        await self._ready.wait()

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Return how much is going on, for the metrics."""
        return {
            "ready": ("Whether requests are worked on.", self.is_ready),
            "requests_inside": ("Requests that are waiting or at work.", len(self.gate)),
            "requests_most": ("Requests that may be waiting or at work.", self.gate.places),
            "threads": ("Threads that parse.", len(self.workers)),
            "threads_busy": ("Threads that are parsing now.", self.workers.busy),
        }

    def close(self) -> None:
        """End the threads."""
        if "workers" in vars(self):
            self.workers.close()


class Work:
    """An endpoint whose requests are worked on by threads: an ASGI application."""

    def __init__(self, service: Service, planner: Planner) -> None:
        self.service, self.planner = service, planner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        body: Body = scope["treewright.body"]
        visitor = object()
        self.service.gate.enter(visitor)
        try:
            await self.service.until_ready()
            await self._answer(scope, body, send)
        finally:
            self.service.gate.leave(visitor)

    async def _answer(self, scope: Scope, body: Body, send: Send) -> None:
        settings = self.service.settings
        deadline = asyncio.get_running_loop().time() + settings.seconds
        try:
            async with asyncio.timeout_at(deadline):
                content = await self.content(scope, body)
        except TimeoutError:
            raise _out_of_time(settings) from None
        job = Job(partial(self.planner, self.service.at_hand, content), settings.max_answer)
        self.service.workers.put(job)
        answer = _Answer(job, scope, body, send)
        tasks = asyncio.create_task(answer.give()), asyncio.create_task(body.gone())
        try:
            left = deadline - asyncio.get_running_loop().time()
            done, _ = await asyncio.wait(tasks, timeout=max(left, 0.0), return_when=asyncio.FIRST_COMPLETED)
        finally:
            job.drop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if tasks[0] in done:
            tasks[0].result()
        elif not done:
            await answer.break_off(_out_of_time(settings))

    async def content(self, scope: Scope, body: Body) -> bytes:
        """Read what the planner is given."""
        return await body.read(self.service.settings.max_body)


class _Answer:
    """An answer that is being given."""

    def __init__(self, job: Job, scope: Scope, receive: Receive, send: Send) -> None:
        self._job, self._scope, self._receive, self._send = job, scope, receive, send
        self._is_streaming = False

    async def give(self) -> None:
        """Wait for the work, and send what it gives."""
        plan = await self._job.plan()
        if not plan.is_streamed:
            headers = {"Cache-Control": "no-store"}
            response = Response(await self._job.whole(), media_type=plan.media_type, headers=headers)
            await response(self._scope, self._receive, self._send)
            return
        try:
            async for part in self._job.parts():
                await self._begin(plan)
                await self._send({"type": "http.response.body", "body": part, "more_body": True})
            await self._begin(plan)
            await self._send({"type": "http.response.body"})
        except Exception as error:
            await self.break_off(describe_error(error))

    async def _begin(self, plan: Plan) -> None:
        """Say that an answer is coming, when it is certain that there is one."""
        if not self._is_streaming:
            self._is_streaming = True
            headers = [(b"content-type", plan.media_type.encode()), (b"cache-control", b"no-store")]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def break_off(self, error: ServiceError) -> None:
        """Say what went wrong: in the last line of a stream that has begun, and as the answer otherwise."""
        if not self._is_streaming:
            raise error
        await self._send({"type": "http.response.body", "body": to_bytes(error.to_dict()) + b"\n"})


def _out_of_time(settings: ServerSettings) -> ServiceError:
    message = f"the request took more than {settings.seconds:g} seconds: send less at a time"
    return ServiceError("timeout", message, limit=settings.seconds)
