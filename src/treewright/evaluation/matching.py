"""Which words of two tokenizations of one text are the same word (Zeman et al. 2018, section 5.1).

Words outside multiword tokens are the same if they have the same span of the text.  The words of multiword tokens have
no span of their own, and often letters that the text does not have.  So there the text is cut into regions, and the
words of both sides in a region are aligned by a longest common subsequence of their forms, whatever their case.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Ints
from treewright.evaluation.spans import Span, Spans

__all__ = ["match_spans", "match_words"]


def match_spans(gold: Spans, system: Spans) -> tuple[int, int]:
    """Count the tokens, and the sentences, that have the same span on both sides."""
    return len({*gold.tokens} & {*system.tokens}), len({*gold.sentences} & {*system.sentences})


def match_words(gold: Spans, system: Spans) -> tuple[Ints, Ints]:
    """Align the words of two sides of one text.

    Returns
    -------
    intp arrays
        The indices of the aligned words, of the gold standard and of the system; both increase.

    Examples
    --------
    >>> from treewright.evaluation.spans import spans_of
    >>> from treewright.treebank import Sentence
    >>> sides = [["can", "not", "go"], ["cannot", "go"]]
    >>> gold, system = match_words(*(spans_of([Sentence.from_forms(forms)], "") for forms in sides))
    >>> gold.tolist(), system.tolist()
    ([2], [1])
    """
    found = _Walk(gold, system).run()
    pairs = np.array(found, np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


class _Walk:
    """A walk over the words of both sides, from left to right."""

    def __init__(self, gold: Spans, system: Spans) -> None:
        self.sides = gold, system
        self.at = [0, 0]  # the next word of each side

    def run(self) -> list[tuple[int, int]]:
        """Walk to the end of either side, and list the aligned words."""
        gold, system = self.sides
        pairs: list[tuple[int, int]] = []
        while (g := self.at[0]) < len(gold.words) and (s := self.at[1]) < len(system.words):
            if gold.in_multiword[g] or system.in_multiword[s]:
                pairs += self._cross_region()
            elif gold.words[g] == system.words[s]:
                pairs.append((g, s))
                self.at = [g + 1, s + 1]
            else:
                self.at[self._behind()] += 1
        return pairs

    def _cross_region(self) -> list[tuple[int, int]]:
        """Step over a region that a multiword token opens, and align the words in it.

        Another multiword token that begins before the end of the region extends it; other words are inside if they
        end there at the latest.  The order of the steps is that of the official scorer, of which the outcome depends
        where words straddle a border.
        """
        opener = 0 if self.sides[0].in_multiword[self.at[0]] else 1
        start, end = self._next(opener)
        other = self.sides[1 - opener]
        if not other.in_multiword[self.at[1 - opener]] and self._next(1 - opener)[0] < start:
            self.at[1 - opener] += 1
        begin = list(self.at)
        while self._is_inside(0, end) or self._is_inside(1, end):
            side = self._behind()
            if self.sides[side].in_multiword[self.at[side]]:
                end = max(end, self._next(side)[1])
            self.at[side] += 1
        gold, system = (side.forms[i:j] for side, i, j in zip(self.sides, begin, self.at, strict=True))
        return [(begin[0] + g, begin[1] + s) for g, s in _common_subsequence(gold, system)]

    def _next(self, side: int) -> Span:
        return self.sides[side].words[self.at[side]]

    def _behind(self) -> int:
        """Find the side whose next word begins first: the gold standard if both do, the other one at an end."""
        gold, system = self.sides
        if self.at[0] == len(gold.words):
            return 1
        return int(self.at[1] < len(system.words) and self._next(0)[0] > self._next(1)[0])

    def _is_inside(self, side: int, end: int) -> bool:
        words = self.sides[side]
        if self.at[side] == len(words.words):
            return False
        first, last = self._next(side)
        return first < end if words.in_multiword[self.at[side]] else last <= end


def _common_subsequence(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """Find a longest common subsequence: of several, the one that leaves out words of the gold standard first."""
    names = {form: i for i, form in enumerate({*gold, *system})}
    codes = np.array([names[form] for form in system], np.intp)
    longest = np.zeros((len(gold) + 1, len(system) + 1), np.int32)  # of what is left from each place on
    for g in range(len(gold) - 1, -1, -1):
        row = np.maximum(longest[g + 1, :-1], (codes == names[gold[g]]) * (longest[g + 1, 1:] + 1))
        longest[g, :-1] = np.maximum.accumulate(row[::-1])[::-1]
    pairs, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g, s] == longest[g + 1, s]:
            g += 1
        else:
            s += 1
    return pairs
