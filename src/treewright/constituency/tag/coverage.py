"""Coverage: how many gold dependencies are in the beam (Carreras, Collins and Koo 2008, Table 3).

A dependency is ⟨h, m, GRM(l)⟩: a head, a modifier and a grammatical relation, whatever the adjunction and the rest of
the two spines.  Some are lost before anything is pruned, because no spine seen with the tag of h has the place of the
relation, or none seen with that of m has its top.  These are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from treewright.arrays import Ints
from treewright.constituency.spines import Derivation, SpineTable, grammatical_relations
from treewright.constituency.tag.automata import ANCHOR, Automata
from treewright.constituency.tag.candidates import Choices, SpineDictionary
from treewright.constituency.tag.links import Links
from treewright.treebank import Sentence

__all__ = ["Coverage", "count_coverage", "gold_dependencies", "measure_coverage"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What is left of gold dependencies; coverages are added by ``+``.

    Attributes
    ----------
    dependencies : int
        The gold dependencies: one for each word.
    kept : int
        Those that survive pruning.
    unseen : int
        Those that no seen spines can form, so that there is nothing to prune.
    spines : int
        The words whose gold spine was seen with their tag.
    survivors : int
        All dependencies that survive pruning, right or wrong.
    """

    dependencies: int = 0
    kept: int = 0
    unseen: int = 0
    spines: int = 0
    survivors: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.dependencies + other.dependencies,
            self.kept + other.kept,
            self.unseen + other.unseen,
            self.spines + other.spines,
            self.survivors + other.survivors,
        )

    @property
    def coverage(self) -> float:
        """The percentage of gold dependencies that survive."""
        return self._percentage(self.kept)

    @property
    def lost_unseen(self) -> float:
        """The percentage of gold dependencies that no seen spines can form."""
        return self._percentage(self.unseen)

    @property
    def lost_pruned(self) -> float:
        """The percentage of gold dependencies that are pruned."""
        return self._percentage(self.dependencies - self.kept - self.unseen)

    @property
    def spine_coverage(self) -> float:
        """The percentage of words whose gold spine was seen with their tag."""
        return self._percentage(self.spines)

    def _percentage(self, count: int) -> float:
        return 100 * count / self.dependencies if self.dependencies else 0.0


def gold_dependencies(automata: Automata, derivation: Derivation, table: SpineTable) -> list[tuple[int, int, int, int]]:
    """List head, modifier, place and top of each gold dependency; -1 is a place or top that no seen spine has.

    ``table`` has the numbers of the spines.  The first ones are those of the grammar; others were never seen.
    """
    places = {place: number for number, place in enumerate(automata.places)}
    relations = grammatical_relations(replace(derivation, tags=(ANCHOR,) * len(derivation)), table)
    rows = []
    for m, (h, relation) in enumerate(zip(derivation.heads.tolist(), relations, strict=True), 1):
        first, second, top = (automata.number.get(label, -1) for label in relation)
        rows.append((h, m, places.get((first, second), -1), top))
    return rows


def count_coverage(
    automata: Automata, choices: Choices, links: Links, derivation: Derivation, table: SpineTable
) -> Coverage:
    """Count what is left of the gold dependencies of one sentence.

    ``choices`` are the spines that each word may have, ``links`` those that survive pruning.  The tags of the gold
    derivation may differ from those that the choices come from; for ``table`` see `gold_dependencies`.
    """
    words, (starts, spines) = choices.words, choices.senses
    survivors = set(zip(*(column.tolist() for column in links[:4]), strict=True))
    kept = unseen = seen_spines = 0
    rows = gold_dependencies(automata, derivation, table)
    for (h, m, place, top), spine in zip(rows, derivation.spines.tolist(), strict=True):
        seen_spines += spine in _own(starts, spines, m)
        is_seen = place in _own(words.place_starts, words.places, h) and top in _own(words.top_starts, words.tops, m)
        unseen += not is_seen
        kept += (h, m, place, top) in survivors
    return Coverage(len(derivation), kept, unseen, seen_spines, len(survivors))


def _own(starts: Ints, values: Ints, word: int) -> Ints:
    return values[starts[word] : starts[word + 1]]


def measure_coverage(
    automata: Automata,
    sentences: Iterable[Sentence],
    derivations: Iterable[Derivation],
    table: SpineTable,
    prune: Callable[[Sentence, Choices], Links],
) -> Coverage:
    """Prune sentences that are tagged as the parser sees them, and count what is left of their gold dependencies.

    ``prune`` is, for instance, `LinkPruner.links`; for the others see `count_coverage`.
    """
    dictionary, total = SpineDictionary(automata), Coverage()
    for sentence, derivation in zip(sentences, derivations, strict=True):
        choices = dictionary.choices(sentence.xpos)
        total += count_coverage(automata, choices, prune(sentence, choices), derivation, table)
    return total
