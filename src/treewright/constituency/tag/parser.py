"""The constituent parser: text to trees of phrases, by spines (`treewright.constituency.tag`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from treewright.arrays import Arrays, Floats
from treewright.constituency.parser import ConstituentTreeParser
from treewright.constituency.spines import SpineTable, build_tree
from treewright.constituency.tag import search
from treewright.constituency.tag.candidates import Choices
from treewright.constituency.tag.components import restore_components
from treewright.constituency.tag.links import Joins, Links, sort_links
from treewright.constituency.tag.pruning import LinkPruner
from treewright.constituency.tag.scorers import TagScorer
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.model import Described, Manifest, nest
from treewright.parsing import Ranked
from treewright.parsing.mixture import UNIT, Mixture
from treewright.parsing.tags import tagged
from treewright.tagging import SentenceTagger
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["ConstituentParser"]

#: A chart of more items than this, some 500 MB, is not filled: the beam is made narrower until there are fewer.
MOST_ITEMS = 30_000_000

#: What the beam is multiplied by where nothing comes out of the search, and where too much is in it.
WIDER, NARROWER = 1e-3, 10.0


class ConstituentParser(ConstituentTreeParser):
    """Finds the best constituent tree of each sentence, by spines and adjunctions.

    Made by `treewright.load` or `treewright.train_constituents`.

    Examples
    --------
    >>> import treewright
    >>> parser = treewright.load("en-constituents")
    >>> [tree] = parser.parse("The mice were fed a diet.")
    >>> print(tree)
    (S (NP (DT The) (NNS mice)) (VP (VBD were) (VP (VBN fed) (NP (DT a) (NN diet)))) (. .))
    """

    KIND: ClassVar[str] = "constituent-parser"

    def __init__(
        self,
        scorer: TagScorer,
        pruner: LinkPruner,
        tagger: SentenceTagger | None,
        info: Mapping[str, Any],
        temperatures: Mixture = UNIT,
    ) -> None:
        self.scorer = scorer
        self.pruner = pruner
        self.tagger = tagger
        self.info = dict(info)
        self.temperatures = temperatures
        self._table = SpineTable(scorer.automata.grammar.spines)

    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> ConstituentTree:
        """Find the best tree of one sentence; see `treewright.parsing.TreeParser.parse_sentence`."""
        return self.explore(sentence, keep_tags=keep_tags)[2]

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[Ranked[ConstituentTree]]:
        """Find the k best trees of a sentence, best first; all of them where there are fewer.

        No tree comes twice: where several derivations have one tree, the probability is that of the best.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load("en-constituents")
        >>> best = parser.k_best(treewright.Sentence.from_forms(["Mice", "sleep", "."]), 3)
        >>> len(best), best[0].probability >= best[1].probability
        (3, True)
        """
        sentence = self._tagged(self.parsable(sentence, k), keep_tags)
        space, scores, _ = self._search(sentence)
        totals = {temperature: search.log_total(space, scores / temperature) for temperature, _ in self.temperatures}
        found: dict[ConstituentTree, float] = {}
        for score, joins in search.best_first(space, scores, k) if k else ():
            tree = build_tree(space.derivation(sentence, joins), self._table)
            found.setdefault(tree, score)
            if len(found) == k:
                break

        def log_probability(score: float) -> float:
            return self.temperatures.log_mean(lambda temperature: score / temperature - totals[temperature])

        return [Ranked(tree, log_probability(score)) for tree, score in found.items()]

    @property
    def needs_tags(self) -> bool:
        """Whether sentences must come with tags: the model learned from gold tags and has no tagger."""
        return self.tagger is None

    def _tagged(self, sentence: Sentence, keep_tags: bool) -> Sentence:
        return with_coarse_tags(tagged(sentence, self.tagger, keep_tags))

    def explore(self, sentence: Sentence, *, keep_tags: bool = False) -> tuple[Space, Floats, ConstituentTree]:
        """Return what is searched for a sentence, the scores of its parts, and the best tree."""
        sentence = self._tagged(self.parsable(sentence), keep_tags)
        space, scores, joins = self._search(sentence)
        return space, scores, build_tree(space.derivation(sentence, joins), self._table)

    def _search(self, sentence: Sentence) -> tuple[Space, Floats, Joins]:
        """Find the best derivation of a tagged sentence: what was searched, scores of its parts, and how words join."""
        for space in self._spaces(sentence):
            scores = self.scorer.score(sentence, space)
            _, joins = search.best(space, scores)
            if joins is not None:
                return space, scores, joins
        raise AssertionError("in the last space there is a derivation of every tree")

    def _spaces(self, sentence: Sentence) -> Iterator[Space]:
        """Lay out what to search: what survives pruning, and more for as long as there is no derivation in it.

        At last come all labels on the arcs of the best dependency tree, and a spare spine for every word that others
        can be joined to; so that there always is a derivation.
        """
        choices = self.scorer.choices(sentence)
        for beam in (self.pruner.beam, self.pruner.beam * WIDER):
            space = self._space(choices, self.pruner.links(sentence, choices, beam))
            while space.layout.size > MOST_ITEMS and beam < 1:
                beam = min(1.0, beam * NARROWER)
                space = self._space(choices, self.pruner.links(sentence, choices, beam))
            yield space
        choices = self.scorer.choices(sentence, spare=True)
        yield self._space(choices, self.pruner.links_of_best_tree(sentence, choices))

    def _space(self, choices: Choices, links: Links) -> Space:
        return Space.of(self.scorer.automata.tables, choices.senses, sort_links(links), second=self.scorer.second)

    def describe(self) -> Described:
        """Describe the parser as a manifest and arrays."""
        scorer, arrays = self.scorer.describe()
        tagger, of_tagger = self.tagger.describe() if self.tagger is not None else (None, {})
        pruner, of_pruner = self.pruner.describe()
        manifest = {
            "kind": self.KIND,
            "info": self.info,
            **scorer,
            "temperature": self.temperatures.describe(),
            "tagger": tagger,
            **pruner,
        }
        return manifest, {**arrays, **nest("tagger", of_tagger), **of_pruner}

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a parser from its description."""
        return cls(*restore_components(manifest, arrays), manifest["info"], Mixture.restore(manifest["temperature"]))
