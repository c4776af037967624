"""A service at work: a request comes in, is cut into pieces of work, and is answered in time or refused."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from treewright.server.errors import ServiceError, describe_error
from treewright.server.guard import Body, Gate
from treewright.server.jobs import Job, Plan, Workers
from treewright.server.metrics import Metrics
from treewright.server.models import Models
from treewright.server.resources import Resources, to_bytes
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["Answer", "Planner", "Service", "Work"]

LOG = logging.getLogger(__name__)

#: Bytes of an answer that are sent at a time, and seconds that a client who is out of time has for the last line.
SLICE, GRACE = 1 << 16, 1.0

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
        self._ready, self._prepared = asyncio.Event(), asyncio.Event()
        self._ready.set()
        self._prepared.set()

    @cached_property
    def workers(self) -> Workers:
        """The threads that parse, started when they are first needed."""
        return Workers(self.settings.threads)

    @property
    def is_ready(self) -> bool:
        """Whether requests are worked on; before, they wait, and no time runs."""
        return self._ready.is_set()

    def prepare(self, first: Callable[[], None], then: Callable[[], None] | None = None) -> None:
        """Do something first, such as compiling, on a thread of its own; then what only rare requests wait for."""
        loop, stages = asyncio.get_running_loop(), [(first, self._ready), (then, self._prepared)]
        self._ready.clear()
        self._prepared.clear()

        def run() -> None:
            for work, done in stages:
                try:
                    if work is not None:
                        work()
                except Exception:
                    LOG.exception("the service could not be prepared")
                finally:
                    with suppress(RuntimeError):  # the loop is closed: nobody waits
                        loop.call_soon_threadsafe(done.set)

        threading.Thread(target=run, name="preparation", daemon=True).start()

    async def until_ready(self, wholly: bool = False) -> None:
        """Wait until requests are worked on; or, with ``wholly``, until nothing is left to be prepared."""
        await (self._prepared if wholly else self._ready).wait()

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
    """An endpoint whose requests are worked on by threads: an ASGI application.

    Parameters
    ----------
    service : Service
    planner : function
        Makes the plan of an answer.
    is_rare : bool
        Whether its requests wait until everything is prepared, and not only what most requests need.
    """

    def __init__(self, service: Service, planner: Planner, is_rare: bool = False) -> None:
        self.service, self.planner, self.is_rare = service, planner, is_rare

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        body: Body = scope["treewright.body"]
        visitor = object()
        self.service.gate.enter(visitor)
        try:
            await self.service.until_ready(self.is_rare)
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
        answer = Answer(job, send)
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


class Answer:
    """An answer that is being given."""

    def __init__(self, job: Job, send: Send) -> None:
        self._job, self._send = job, send
        self._plan: Plan | None = None  # once the answer has begun

    async def give(self) -> None:
        """Wait for the work, and send what it gives."""
        plan = await self._job.plan()
        if not plan.is_streamed:
            await self._give_whole(plan)
            return
        try:
            async for part in self._job.parts():
                await self._begin(plan)
                await self._send({"type": "http.response.body", "body": part, "more_body": True})
            await self._begin(plan)
            await self._send({"type": "http.response.body"})
        except Exception as error:
            await self.break_off(describe_error(error))

    async def _give_whole(self, plan: Plan) -> None:
        """Send an answer slice by slice: a client that does not take one is not sent the next."""
        whole = await self._job.whole()
        await self._begin(plan, (b"content-length", str(len(whole)).encode()))
        for start in range(0, len(whole), SLICE):
            part = whole[start : start + SLICE]
            await self._send({"type": "http.response.body", "body": part, "more_body": True})
        await self._send({"type": "http.response.body"})

    async def _begin(self, plan: Plan, *more: tuple[bytes, bytes]) -> None:
        """Say that an answer is coming, when it is certain that there is one."""
        if self._plan is None:
            self._plan = plan
            headers = [(b"content-type", plan.media_type.encode()), (b"cache-control", b"no-store"), *more]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def break_off(self, error: ServiceError) -> None:
        """Say what went wrong: in the last line of a stream that has begun, and as the answer if none has.

        An answer of another kind just ends, and so does a stream whose client does not take the last line: the server
        closes the connection, so that it does not look whole.
        """
        if self._plan is None:
            raise error
        if self._plan.is_streamed:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._send({"type": "http.response.body", "body": to_bytes(error.to_dict()) + b"\n"})


def _out_of_time(settings: ServerSettings) -> ServiceError:
    message = f"the request took more than {settings.seconds:g} seconds: send less at a time"
    return ServiceError("timeout", message, limit=settings.seconds)
