"""Work off the event loop: the pieces of many requests take turns on a few threads.

Kernels run without the GIL, so threads use all cores.  A request is cut into pieces, most of them one sentence each,
and a thread takes the next piece of the request that has waited longest for a thread.  So a long text uses every core
while nobody else asks, and delays a short one by no more than the pieces that are being worked on.

A piece cannot be interrupted.  When a request is out of time, or whoever asked has gone, it is answered or forgotten at
once, and what is left of its work is dropped.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from treewright.server.errors import ServiceError
from treewright.threads import count_workers

__all__ = ["Job", "Piece", "Plan", "Workers"]

#: A piece of work, which gives a part of an answer.
Piece = Callable[[], bytes]


@dataclass(frozen=True)
class Plan:
    """How a request is answered: the pieces of work, and what stands around what they give.

    A streamed answer has each piece by itself, as soon as it is there and those before it are.
    """

    pieces: Sequence[Piece]
    media_type: str = "application/json"
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""
    is_streamed: bool = False


class Job:
    """A request at work; it belongs to the event loop on which it was made."""

    def __init__(self, make_plan: Callable[[], Plan], most_bytes: int) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        self._make_plan, self._most_bytes = make_plan, most_bytes
        self._results: dict[int, bytes | BaseException] = {}
        self._plan: Plan | None = None
        self._begun = self._bytes = 0
        self._is_planning = False
        self._awaited: int | None = None  # the piece that somebody waits for; None is all of them
        self._error: BaseException | None = None
        self._is_dropped = False

    # --- for the threads, which hold the lock of all jobs in all but `work` ----------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether there is something to begin now."""
        if self._is_dropped or self._error is not None:
            return False
        return not self._is_planning if self._plan is None else self._begun < len(self._plan.pieces)

    def begin(self) -> int:
        """Begin the next piece and return its number; -1 is the plan."""
        if self._plan is None:
            self._is_planning = True
            return -1
        self._begun += 1
        return self._begun - 1

    def work(self, place: int) -> Plan | bytes | BaseException:
        """Do a piece of work; what goes wrong is its result."""
        try:
            return self._make_plan() if self._plan is None else self._plan.pieces[place]()
        except Exception as error:
            return error

    def end(self, place: int, result: Plan | bytes | BaseException) -> None:
        """Take the result of a piece, and wake whoever waits for it."""
        if isinstance(result, bytes):
            self._bytes += len(result)
            if self._bytes > self._most_bytes:
                limit = self._most_bytes
                result = ServiceError("answer_too_large", f"the answer has more than {limit:,} bytes", limit=limit)
        if isinstance(result, BaseException):
            self._error = self._error or result
        if isinstance(result, Plan):
            self._plan = result
        else:
            self._results[place] = result
        if self._plan is result or self._error is not None or place == self._awaited or self._is_whole():
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(self._wake.set)

    def _is_whole(self) -> bool:
        return self._error is None and self._plan is not None and len(self._results) == len(self._plan.pieces)

    # --- for the event loop -------------------------------------------------------------------------------------------

    async def plan(self) -> Plan:
        """Wait for the plan."""
        await self._until(lambda: self._plan is not None)
        assert self._plan is not None
        return self._plan

    async def whole(self) -> bytes:
        """Wait for all pieces, and put the answer together."""
        plan = await self.plan()
        await self._until(self._is_whole)
        pieces = [self._piece(place) for place in range(len(plan.pieces))]
        return b"".join((plan.before, plan.between.join(pieces), plan.after))

    async def parts(self) -> AsyncIterator[bytes]:
        """Wait for one piece after the other; those before one that goes wrong are given."""
        plan = await self.plan()
        for place in range(len(plan.pieces)):
            self._awaited = place
            await self._until(partial(self._results.__contains__, place), in_spite_of_errors=True)
            yield self._piece(place)
            self._results[place] = b""

    def _piece(self, place: int) -> bytes:
        found = self._results[place]
        if isinstance(found, BaseException):
            raise found
        return found

    def drop(self) -> None:
        """Do not begin anything more of it."""
        self._is_dropped = True

    async def _until(self, is_so: Callable[[], bool], in_spite_of_errors: bool = False) -> None:
        """Wait for something; an error is raised instead, unless it will be so in spite of errors."""
        while True:
            self._wake.clear()  # what happens after this sets it again
            if is_so():
                return
            if self._error is not None and not in_spite_of_errors:
                raise self._error
            await self._wake.wait()


class Workers:
    """Threads that work on jobs, each in turn."""

    def __init__(self, threads: int = 0) -> None:
        self._turns: deque[Job] = deque()  # jobs with something to begin
        self._changed = threading.Condition()
        self._is_closed = False
        self.busy = 0
        self._threads = [
            threading.Thread(target=self._work, name=f"parser-{number}", daemon=True)
            for number in range(count_workers(threads))
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        return len(self._threads)

    def put(self, job: Job) -> Job:
        """Let a job take its turns."""
        with self._changed:
            if self._is_closed:
                raise RuntimeError("these workers have been closed")
            self._turns.append(job)
            self._changed.notify()
        return job

    def close(self) -> None:
        """End the threads once they have finished the pieces that they are at, and whatever has not been dropped."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while (turn := self._take()) is not None:
            job, place = turn
            result = job.work(place)
            with self._changed:
                self.busy -= 1
                job.end(place, result)
                if isinstance(result, Plan) and job.has_work:
                    self._turns.append(job)
                    self._changed.notify_all()

    def _take(self) -> tuple[Job, int] | None:
        """Wait for the next piece of work; None at the end."""
        with self._changed:
            while True:
                while self._turns:
                    job = self._turns.popleft()
                    if job.has_work:
                        place = job.begin()
                        if job.has_work:
                            self._turns.append(job)
                        self.busy += 1
                        return job, place
                if self._is_closed:
                    return None
                self._changed.wait()
