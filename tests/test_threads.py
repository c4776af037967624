"""Threads: results come in order, and in shares that threads take as a whole."""

import itertools
import threading

import pytest

from treewright.threads import count_workers, in_order, in_shares


@pytest.mark.parametrize("threads", [1, 2, 7, None])
@pytest.mark.parametrize("batch", [1, 3])
def test_results_come_in_the_order_of_the_things(threads: int | None, batch: int) -> None:
    assert list(in_order(lambda number: number * number, range(20), threads, batch=batch)) == [k * k for k in range(20)]


def test_an_endless_stream_is_read_only_a_little_ahead() -> None:
    squares = in_order(lambda number: number * number, itertools.count(), 2, batch=2)
    assert list(itertools.islice(squares, 5)) == [0, 1, 4, 9, 16]
    squares.close()  # type: ignore[attr-defined]


def test_an_error_of_a_thread_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda number: 1 // number, [1, 0], 2, batch=1))


def test_results_before_an_error_come_first_and_what_has_not_started_is_cancelled() -> None:
    begun, gate = set[int](), threading.Event()

    def function(number: int) -> int:
        begun.add(number)
        if number == 1:
            raise ValueError("one")
        if number > 1:
            gate.wait(60)
        return number

    results = in_order(function, range(5), 2, batch=1)
    assert next(results) == 0
    threading.Timer(0.1, gate.set).start()
    with pytest.raises(ValueError, match="one"):
        next(results)
    assert 4 not in begun


@pytest.mark.parametrize("wanted", [0, None])
def test_there_is_a_worker_for_each_core_unless_told(wanted: int | None) -> None:
    assert count_workers(wanted) >= 1
    assert count_workers(3) == 3
    with pytest.raises(ValueError, match="-1 workers; there must be at least 1"):
        count_workers(-1)


@pytest.mark.parametrize("threads", [1, 2, 5, 20])
def test_shares_are_even_and_their_results_in_order(threads: int) -> None:
    sizes = []

    def function(share: list[int]) -> list[int]:
        sizes.append(len(share))
        return [-number for number in share]

    assert in_shares(function, range(11), threads) == [-number for number in range(11)]
    assert sum(sizes) == 11
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == min(threads, 11)


def test_nothing_has_no_shares() -> None:
    assert in_shares(lambda share: share, [], 3) == []


def test_each_share_has_its_thread() -> None:
    barrier = threading.Barrier(3, timeout=60)

    def function(share: list[int]) -> list[int]:
        barrier.wait()  # which passes only if all three wait at once
        return share

    assert in_shares(function, [1, 2, 3], 3) == [1, 2, 3]
