"""The constituent parser: text to trees of phrases, by spines (`treewright.constituency.tag`)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.constituency.spines import SpineTable, build_tree
from treewright.constituency.tag import search
from treewright.constituency.tag.candidates import Choices, SpineDictionary
from treewright.constituency.tag.features import TagFeatures
from treewright.constituency.tag.k_best import best_first
from treewright.constituency.tag.layout import Links, sort_links
from treewright.constituency.tag.model_file import KIND, describe, restore
from treewright.constituency.tag.pruning import LinkPruner
from treewright.constituency.tag.search import Joins
from treewright.constituency.tag.space import Space
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.errors import UsageError
from treewright.execution import Executor
from treewright.features import Weights
from treewright.model.container import open_model, save_model
from treewright.parsing.corpus import ParseShard, shards_of
from treewright.tagging import Tagger
from treewright.threads import in_order
from treewright.tokenization import tokenize
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["ConstituentParser", "RankedTree"]

#: The longest sentence that is parsed.
MAX_WORDS = 400

#: A chart of more items than this, some 500 MB, is not filled: the beam is made narrower until there are fewer.
MOST_ITEMS = 30_000_000

#: What the beam is multiplied by where nothing comes out of the search, and where too much is in it.
WIDER, NARROWER = 1e-3, 10.0


class RankedTree(NamedTuple):
    """A tree of a sentence: its rank, from 1, and its probability among all that are searched, where that was asked."""

    tree: ConstituentTree
    rank: int = 1
    probability: float | None = None


class ConstituentParser:
    """Finds the best constituent tree of each sentence.

    Made by `treewright.load_constituents` or `treewright.train_constituents`.

    Attributes
    ----------
    info : dict
        What the model is: name, language, treebank, licence, how it was trained, its scores on the dev set.

    Examples
    --------
    >>> import treewright
    >>> parser = treewright.load_constituents("en-craft")
    >>> [tree] = parser.parse("The mice were fed a diet.")
    >>> print(tree)
    (S (NP (DT The) (NNS mice)) (VP (VBD were) (VP (VBN fed) (NP (DT a) (NN diet)))) (. .))
    """

    def __init__(
        self,
        features: TagFeatures,
        weights: Weights,
        pruner: LinkPruner,
        tagger: Tagger | None,
        info: Mapping[str, Any],
        temperature: float = 1.0,
    ) -> None:
        self.features = features
        self.weights = weights
        self.pruner = pruner
        self.tagger = tagger
        self.info = dict(info)
        self.temperature = temperature
        self._dictionary = SpineDictionary(features.automata)
        self._table = SpineTable(features.automata.grammar.spines)

    def parse(self, text: str | Sequence[str] | Sentence, *, keep_tags: bool = False) -> list[ConstituentTree]:
        """Parse text, the words of one sentence, or a sentence of a treebank.

        Parameters
        ----------
        text : str, sequence of str, or Sentence
            Text is split into sentences and words.  A sequence of words, or a `Sentence`, is one sentence.
        keep_tags : bool
            Whether to use the tags (XPOS) that a `Sentence` has, instead of tagging it.
        """
        if isinstance(text, Sentence):
            return [self.parse_sentence(text, keep_tags=keep_tags)] if len(text) else []
        if isinstance(text, str):
            sentences: Iterable[Sentence] = tokenize(text, self.info.get("language", ""))
        else:
            sentences = [Sentence.from_forms(list(text))] if text else []
        return [self.parse_sentence(sentence) for sentence in sentences if len(sentence)]

    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> ConstituentTree:
        """Parse one sentence.

        Raises
        ------
        UsageError
            If it has no words, or too many.
        """
        return self.explore(sentence, keep_tags=keep_tags)[2]

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[RankedTree]:
        """Find the k best trees of a sentence, the best first, with their probabilities; all, where they are fewer.

        No tree comes twice: where several derivations have one tree, the probability is that of the best.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load_constituents("en-craft")
        >>> best = parser.k_best(treewright.Sentence.from_forms(["Mice", "sleep", "."]), 3)
        >>> [ranked.rank for ranked in best], best[0].probability >= best[1].probability
        ([1, 2, 3], True)
        """
        if k < 0:
            raise ValueError(f"k is {k}: there cannot be fewer than no trees")
        tagged = self._prepared(sentence, keep_tags)
        space, scores, _ = self._search(tagged)
        total = search.log_total(space.layout, scores / self.temperature)
        found: dict[ConstituentTree, float] = {}
        for score, joins in best_first(space.layout, scores) if k else ():
            tree = build_tree(space.derivation(tagged, joins), self._table)
            found.setdefault(tree, min(1.0, math.exp(score / self.temperature - total)))
            if len(found) == k:
                break
        return [RankedTree(tree, rank, probability) for rank, (tree, probability) in enumerate(found.items(), 1)]

    def trees_of(self, sentence: Sentence, k: int | None = None, **options: Any) -> list[RankedTree]:
        """Give the best tree of a sentence, or the k best, with the options of `k_best`; none of one without words."""
        if not len(sentence):
            return []
        if k is None:
            return [RankedTree(self.parse_sentence(sentence, **options))]
        return self.k_best(sentence, k, **options)

    def parse_all(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int | None = None,
        executor: Executor | None = None,
        keep_tags: bool = False,
    ) -> Iterator[ConstituentTree]:
        """Parse many sentences, in order, on several threads, or by an executor; those without words have no tree."""
        if executor is None:
            each = in_order(lambda sentence: self.trees_of(sentence, keep_tags=keep_tags), sentences, threads)
        else:
            each = executor.map(ParseShard(self, None, {"keep_tags": keep_tags}), shards_of(sentences))
        return (ranked.tree for trees in each for ranked in trees)

    def _prepared(self, sentence: Sentence, keep_tags: bool) -> Sentence:
        """Refuse what has no words or too many; tag the sentence unless its tags are to be kept."""
        if not len(sentence):
            raise UsageError("there are no words to parse; give at least one")
        if len(sentence) > MAX_WORDS:
            raise UsageError(f"a sentence of {len(sentence):,} words is too long to parse (the limit is {MAX_WORDS:,})")
        if not keep_tags:
            if self.tagger is None:
                raise UsageError(
                    "this model has no tagger, as it was trained on gold tags: "
                    "give it tagged sentences with --keep-tags, or train one with --tags predicted"
                )
            sentence = self.tagger.tag(sentence)
        return with_coarse_tags(sentence)

    def explore(
        self, sentence: Sentence, *, keep_tags: bool = False
    ) -> tuple[Space, npt.NDArray[np.float64], ConstituentTree]:
        """Give what is searched for a sentence, the scores of its parts, and the best tree."""
        tagged = self._prepared(sentence, keep_tags)
        space, scores, joins = self._search(tagged)
        return space, scores, build_tree(space.derivation(tagged, joins), self._table)

    def _search(self, sentence: Sentence) -> tuple[Space, npt.NDArray[np.float64], Joins]:
        """Find the best derivation of a tagged sentence: what was searched, scores of its parts, and how words join."""
        hashed = self.features.hash(sentence)
        for space in self._spaces(sentence):
            scores = self.features.score(hashed, self.weights, space)
            _, joins = search.best(space.layout, scores)
            if joins is not None:
                return space, scores, joins
        raise AssertionError("in the last space there is a derivation of every tree")

    def _spaces(self, sentence: Sentence) -> Iterator[Space]:
        """Lay out what to search: what survives pruning, and more for as long as there is no derivation in it.

        At last come all labels on the arcs of the best dependency tree, and a spare spine for every word that others
        can be joined to; so that there always is a derivation.
        """
        choices = self._dictionary.choices(sentence.xpos)
        for beam in (self.pruner.beam, self.pruner.beam * WIDER):
            space = self._space(choices, self.pruner.links(sentence, choices, beam))
            while space.layout.size > MOST_ITEMS and beam < 1:
                beam = min(1.0, beam * NARROWER)
                space = self._space(choices, self.pruner.links(sentence, choices, beam))
            yield space
        choices = self._dictionary.choices(sentence.xpos, self._dictionary.spare(len(sentence)))
        yield self._space(choices, self.pruner.links_of_best_tree(sentence, choices))

    def _space(self, choices: Choices, links: Links) -> Space:
        tables, second = self.features.automata.tables, self.features.settings.second
        return Space.of(tables, choices.senses, sort_links(links), second=second)

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the parser apart into a manifest and arrays."""
        return describe(self)

    @classmethod
    def restore(cls, manifest: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> ConstituentParser:
        """Put together what `describe` took apart."""
        return cls(**restore(manifest, arrays))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; nothing is written if it fails."""
        save_model(path, *self.describe())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ConstituentParser:
        """Open a model file.

        Raises
        ------
        ModelError
            If it is not a sound model file of this kind.
        """
        return open_model(path, {KIND: cls.restore})
