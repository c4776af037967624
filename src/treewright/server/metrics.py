"""What a service counts, in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["Metrics"]

#: Upper ends of the bins for the seconds that requests take.
BINS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts requests, by path and status, and how long they take.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("/api/parse", 200, 0.02)
    >>> [line for line in metrics.render({}).splitlines() if line.startswith("treewright_requests_total")]
    ['treewright_requests_total{path="/api/parse",status="200"} 1']
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._bins: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._work: Counter[str] = Counter()

    def count(self, path: str, status: int, seconds: float) -> None:
        """Note a request that has been answered; ``path`` is one of a fixed list."""
        with self._lock:
            self._requests[path, status] += 1
            self._bins.setdefault(path, [0] * (len(BINS) + 1))[bisect_left(BINS, seconds)] += 1
            self._seconds[path] += seconds  # type: ignore[assignment]

    def count_work(self, sentences: int, words: int) -> None:
        """Note what was taken in to be parsed."""
        with self._lock:
            self._work["sentences"] += sentences
            self._work["words"] += words

    def render(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Write everything down, and gauges: the help and the value of each."""
        with self._lock:
            lines = [*_head("requests_total", "counter", "Requests that have been answered.")]
            for (path, status), count in sorted(self._requests.items()):
                lines.append(f'treewright_requests_total{{path="{path}",status="{status}"}} {count}')
            lines += _head("request_seconds", "histogram", "How long requests took, waiting included.")
            for path in sorted(self._bins):
                lines += self._histogram(path)
            for name in ("sentences", "words"):
                lines += _head(f"{name}_total", "counter", f"How many {name} came in to be parsed.")
                lines.append(f"treewright_{name}_total {self._work[name]}")
        for name, (help, value) in gauges.items():
            lines += _head(name, "gauge", help)
            lines.append(f"treewright_{name} {value:g}")
        return "\n".join(lines) + "\n"

    def _histogram(self, path: str) -> Iterable[str]:
        below = 0
        for end, count in zip((*map(str, BINS), "+Inf"), self._bins[path], strict=True):
            below += count
            yield f'treewright_request_seconds_bucket{{path="{path}",le="{end}"}} {below}'
        yield f'treewright_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}'
        yield f'treewright_request_seconds_count{{path="{path}"}} {below}'


def _head(name: str, kind: str, help: str) -> Iterable[str]:
    return f"# HELP treewright_{name} {help}", f"# TYPE treewright_{name} {kind}"
