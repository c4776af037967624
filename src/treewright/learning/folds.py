"""Jackknifing: apply to each example what was learned from others.

What is learned from a treebank knows that treebank better than any other text.  So what a parser reads while it is
trained, such as tags, must come from models that have not seen the sentence.  The treebank is cut into folds, and each
fold is read by a model trained on the others.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from treewright.errors import UsageError
from treewright.threads import in_order

__all__ = ["in_folds", "set_aside"]

T = TypeVar("T")

#: The number of places in a treebank that sentences are set aside from.
PLACES = 25

#: A tenth of a treebank is set aside, but no more than this: enough to fit a few numbers.
ENOUGH = 1_000

#: And no less than this, unless that is more than a quarter.
AT_LEAST = 50


#: Documents to set aside at least; if there are fewer, runs of sentences are set aside.
FEWEST = 2


def in_folds(
    fit: Callable[[list[int], Callable[[float], None]], Callable[[int], T]],
    sentences: int,
    folds: int,
    threads: int | None = 1,
    *,
    first: int | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
) -> list[T]:
    """Apply to each sentence what was learned from the sentences of the other folds.

    Parameters
    ----------
    fit : function
        Learns from the sentences with the given numbers, and reports its progress from 0 to 1.  Returns a function that
        is applied to the number of each sentence of the fold that was left out.
    sentences : int
        How many there are.
    folds : int
        Consecutive sentences are in the same fold, because they come from the same documents.
    threads : int, optional
        Each works on a fold; 0 or None means one for each core.  The results do not depend on it.
    first : int, optional
        The first so many sentences are of another kind than the rest: each fold has its share of both.
    on_progress : function
        Called with the share of all folds that is done.

    Returns
    -------
    list
        The result of each sentence, in order.

    Examples
    --------
    >>> in_folds(lambda others, report: lambda sentence: others, 4, folds=2)
    [[2, 3], [2, 3], [0, 1], [0, 1]]
    >>> in_folds(lambda others, report: lambda sentence: others, 6, folds=2, first=2)
    [[1, 4, 5], [0, 2, 3], [1, 4, 5], [1, 4, 5], [0, 2, 3], [0, 2, 3]]
    """
    if not 2 <= folds <= sentences:
        raise UsageError(
            f"{folds} folds do not fit {sentences} sentences; jackknifing needs at least 2 folds, and a sentence for "
            "each"
        )
    first = sentences if first is None else first
    bounds = [first * fold // folds for fold in range(folds + 1)]
    more = [first + (sentences - first) * fold // folds for fold in range(folds + 1)]
    shares = [0.0] * folds
    reporting = threading.Lock()  # folds report from several threads, but the caller sees one report at a time

    def run(fold: int) -> tuple[list[T], list[T]]:
        def report(share: float) -> None:
            with reporting:
                shares[fold] = share
                on_progress(sum(shares) / folds)

        own = [range(*ends[fold : fold + 2]) for ends in (bounds, more)]
        left_out = {*own[0], *own[1]}
        apply = fit([number for number in range(sentences) if number not in left_out], report)
        return [apply(number) for number in own[0]], [apply(number) for number in own[1]]

    pairs = list(in_order(run, range(folds), threads, batch=1))
    return [result for kind in zip(*pairs, strict=True) for results in kind for result in results]


def set_aside(sentences: int, wanted: int | None = None, starts: Sequence[int] = ()) -> list[int]:
    """Choose sentences that are not learned from, from all over a treebank; about a tenth unless told how many.

    Where it is known with which sentences documents begin, and there are enough of them, whole documents are chosen: a
    model knows the words and the topics of a document that it has seen a part of.  Otherwise runs of sentences are.

    Examples
    --------
    >>> set_aside(100, 4)
    [24, 49, 74, 99]
    >>> set_aside(1000)[:5]
    [36, 37, 38, 39, 76]
    >>> set_aside(12, 4, starts=[0, 2, 4, 5, 7, 8, 11])
    [0, 1, 5, 6]
    """
    if wanted is None:
        wanted = min(ENOUGH, max(sentences // 10, min(AT_LEAST, sentences // 4)))
    count = round(len(starts) * wanted / sentences)
    if count >= FEWEST:
        bounds, generator = [*starts, sentences], random.Random(1)  # documents of two kinds may alternate
        borders = [len(starts) * place // count for place in range(count + 1)]
        documents = [generator.randrange(*pair) for pair in itertools.pairwise(borders)]
        return [number for one in documents for number in range(bounds[one], bounds[one + 1])]
    places = min(wanted, PLACES)
    chosen: list[int] = []
    for place in range(places):
        end, count = sentences * (place + 1) // places, wanted * (place + 1) // places - wanted * place // places
        chosen += range(end - count, end)
    return chosen
