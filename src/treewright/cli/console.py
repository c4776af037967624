"""What the command line says on standard error: notices, progress, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["compiling", "counted", "notice", "progress_bar", "share_done", "watched"]

T = TypeVar("T")

#: Work that is done sooner than this many seconds shows no progress.
PATIENCE = 2.0

#: Seconds between lines about progress where there is no terminal.
PAUSE = 15.0


def notice(message: str) -> None:
    """Write a line to standard error, without what a terminal would act on."""
    if not message.isprintable():
        from treewright.treebank.terminal import make_printable

        message = "\n".join(map(make_printable, message.split("\n")))
    print(message, file=sys.stderr, flush=True)


def counted(count: int, noun: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> counted(1, "sentence"), counted(1200, "word")
    ('1 sentence', '1,200 words')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@contextmanager
def compiling(task: str) -> Iterator[bool]:
    """Announce that what a command needs has to be compiled, if so, and remember that it has been.

    The value is whether there is something to compile.
    """
    from treewright import kernels

    cold = not kernels.are_compiled(task)
    if cold:
        notice(f"Compiling for treewright {task}, once on this machine; this takes up to a minute ...")
    yield cold
    if cold:
        kernels.mark_compiled(task)


def progress_bar() -> Progress:
    """Make a progress bar on standard error, with a note on speed and the time left; it disappears when done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def watched(
    items: Iterable[T], title: str, share: Callable[[], float | None], note: Callable[[float], str]
) -> Iterator[T]:
    """Yield the items, and show progress on a terminal after the first two seconds.

    ``share`` returns the share of the work done, from 0 to 1, or None where it is unknown; ``note`` returns a remark on
    the work so far, given the seconds it took.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start = shown = time.monotonic()
    with progress_bar() as bar:
        bar.stop()
        task = bar.add_task(title, total=None, note="")
        for item in items:
            yield item
            now = time.monotonic()
            if now - start > PATIENCE and now - shown > 0.1:
                shown = now
                bar.start()
                done = share()
                bar.update(task, total=None if done is None else 1.0, completed=done or 0.0, note=note(now - start))


@contextmanager
def share_done(title: str, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show the share done and the time left: a bar on a terminal, a line now and then elsewhere."""
    start = said = time.monotonic()

    def say(share: float) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said > PAUSE and share > 0:
            said = now
            notice(f"{title}, {100 * share:.0f} % done, about {(now - start) * (1 - share) / share:.0f} s left")

    if quiet:
        yield lambda share: None
    elif not sys.stderr.isatty():
        yield say
    else:
        with progress_bar() as bar:
            task = bar.add_task(title, total=1.0, note="")
            yield lambda share: bar.update(task, completed=share)
