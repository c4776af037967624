"""The parser: text to trees.  Tokenizer, tagger, pruner, features and search, one after the other."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from treewright.dependency.annotation import with_ranks, with_tree
from treewright.dependency.parser_file import KIND, describe, restore
from treewright.dependency.pruning import Pruner
from treewright.dependency.search import best_tree
from treewright.errors import UsageError
from treewright.execution import Executor
from treewright.features import DependencyFeatures, Weights
from treewright.features.hooks import check_hooks
from treewright.inference import Parts, Scores, Trees
from treewright.inference.bounds.non_local import Proposer
from treewright.inference.parts import all_parts
from treewright.model.container import open_model, save_model
from treewright.parsing.corpus import ParseShard, shards_of
from treewright.tagging import Tagger
from treewright.threads import in_order
from treewright.tokenization import tokenize
from treewright.treebank import Sentence

__all__ = ["Parser"]

#: The longest sentence that is parsed: its label scores take some 200 MB.
MAX_WORDS = 1_000


class Parser:
    """Finds the best tree of each sentence.

    Made by `treewright.load` or `treewright.train_parser`.

    Attributes
    ----------
    hooks : list
        Functions that propose factors of one's own for a sentence (`treewright.inference.bounds.non_local.Proposer`):
        with scores, or with features that the model has learned.  They are not part of the model file, but the names of
        those that it was trained with are, and without these it does not parse.
    info : dict
        What the model is: name, language, treebank, licence, how it was trained, its scores on the dev set.

    Examples
    --------
    >>> import treewright
    >>> parser = treewright.load("en")
    >>> [sentence] = parser.parse("The dog chased a cat.")
    >>> sentence.forms
    ['The', 'dog', 'chased', 'a', 'cat', '.']
    >>> sentence.heads.tolist()
    [2, 3, 0, 5, 3, 3]
    >>> sentence.deprels
    ['det', 'nsubj', 'root', 'det', 'obj', 'punct']
    """

    def __init__(
        self,
        features: DependencyFeatures,
        weights: Weights,
        trees: Trees,
        tagger: Tagger | None,
        info: Mapping[str, Any],
        pruner: Pruner | None = None,
        temperature: float = 1.0,
    ) -> None:
        self.features = features
        self.weights = weights
        self.trees = trees
        self.tagger = tagger
        self.info = dict(info)
        self.pruner = pruner
        self.temperature = temperature
        self.hooks: list[Proposer] = []

    def parse(
        self, text: str | Sequence[str] | Sentence, *, keep_tags: bool = False, confidence: bool = False
    ) -> list[Sentence]:
        """Parse text, the words of one sentence, or a sentence of a treebank.

        Parameters
        ----------
        text : str, sequence of str, or Sentence
            Text is split into sentences and words.  A sequence of words, or a `Sentence`, is one sentence.
        keep_tags : bool
            Whether to use the tags that a `Sentence` has, instead of tagging it.
        confidence : bool
            Whether to note in MISC the probability of each arc, ``Confidence=0.97``.

        Returns
        -------
        list of Sentence
            With heads and relations filled in, and tags unless they were kept.

        Examples
        --------
        >>> import treewright
        >>> [sentence] = treewright.load("en").parse(["Trees", "grow", "."])
        >>> sentence.upos, sentence.heads.tolist()
        (['NOUN', 'VERB', 'PUNCT'], [2, 0, 2])
        """
        if isinstance(text, Sentence):
            return [self.parse_sentence(text, keep_tags=keep_tags, confidence=confidence)]
        if isinstance(text, str):
            sentences: Iterable[Sentence] = tokenize(text, self.info.get("language", ""))
        else:
            sentences = [Sentence.from_forms(list(text))] if text else []
        return [self.parse_sentence(sentence, confidence=confidence) for sentence in sentences]

    def parse_sentence(
        self,
        sentence: Sentence,
        *,
        keep_tags: bool = False,
        fix_heads: bool = False,
        confidence: bool = False,
        exact: bool = False,
    ) -> Sentence:
        """Parse one sentence; everything but tags, heads and relations stays as it is.

        Parameters
        ----------
        sentence : Sentence
        keep_tags, confidence : bool
            See `parse`.
        fix_heads : bool
            Whether to keep the heads that the sentence has and find only the others.
        exact : bool
            Whether to search on until the tree is proved to be the best, however long that takes, where the usual
            search may end without a proof (non-projective trees under more than arc scores).  A tree that is not
            proved to be the best has the comment ``# certificate = no``.
        """
        if not len(sentence):
            return sentence
        tagged = self._prepared(sentence, keep_tags)
        with _explained(sentence):
            scores = self.scores(tagged, fix_heads=fix_heads)
            parse = best_tree(self, tagged, scores, exact)
        return with_tree(tagged, parse, self.features.labels, self._probabilities(scores) if confidence else None)

    def k_best(
        self,
        sentence: Sentence,
        k: int,
        *,
        keep_tags: bool = False,
        fix_heads: bool = False,
        confidence: bool = False,
    ) -> list[tuple[Sentence, float]]:
        """Find the k best trees of a sentence, best first, each with its probability (that of heads and relations).

        Parameters
        ----------
        sentence : Sentence
        k : int
        keep_tags, fix_heads, confidence : bool
            See `parse_sentence`.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load("en")
        >>> [sentence] = parser.parse("I saw her duck.")
        >>> best = parser.k_best(sentence, 3)
        >>> len(best), all(0 < probability <= 1 for _, probability in best)
        (3, True)
        """
        if not len(sentence):
            return [(sentence, 1.0)]
        tagged = self._prepared(sentence, keep_tags)
        with _explained(sentence):
            scores = self.scores(tagged, fix_heads=fix_heads)
            marginals = self._probabilities(scores) if confidence or not self.has_probabilities else None
            parses = self.trees.k_best(scores, k)
        distribution = scores.scaled(1 / self.temperature)
        log_partition = self.trees.log_partition(distribution)
        return [
            (
                with_tree(tagged, parse, self.features.labels, marginals),
                min(1.0, math.exp(self.trees.score(distribution, parse.heads, parse.labels) - log_partition)),
            )
            for parse in parses
        ]

    def scores(self, sentence: Sentence, *, fix_heads: bool = False) -> Scores:
        """Score the parts of a tagged sentence that survive pruning.

        With these, every question that `treewright.inference.Trees` answers can be asked of the model.

        Raises
        ------
        ValueError
            If heads are to be kept that no tree has.
        """
        fixed = sentence.rooted_heads() if fix_heads else None
        parts = None
        if self.pruner is not None:
            parts = Parts(self.pruner.allowed(sentence, fixed), projective=self.trees.projective)
        elif self.hooks:
            parts = all_parts(len(sentence))
        scores = self.features.score(self.features.hash(sentence), self.weights, parts)
        return scores if fixed is None else replace(scores, fixed_heads=fixed)

    def parse_all(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int | None = None,
        executor: Executor | None = None,
        k: int | None = None,
        **options: Any,
    ) -> Iterator[Sentence]:
        """Parse many sentences, in order, on several threads, or by an executor.

        Parameters
        ----------
        sentences : iterable of Sentence
            Read only a little ahead, so that any number of them can be streamed.
        threads : int, optional
            How many to use; all cores unless given.
        executor : Executor, optional
            What to parse with instead of threads: processes or a cluster (`treewright.execution`).
        k : int, optional
            How many trees of each sentence to give; the rank and the probability of each are noted in comments,
            ``# tree = 2`` and ``# probability = 0.0831``, in place of such that were there.
        options
            Those of `parse_sentence`.
        """
        if executor is None:
            each = in_order(lambda sentence: self.trees_of(sentence, k, **options), sentences, threads)
        else:
            each = executor.map(ParseShard(self, k, options), shards_of(sentences))
        return (tree for trees in each for tree in trees)

    def trees_of(self, sentence: Sentence, k: int | None, **options: Any) -> list[Sentence]:
        """Give the best tree of a sentence, or the k best, as `parse_all` does."""
        if k is None:
            return [self.parse_sentence(sentence, **options)]
        return with_ranks(self.k_best(sentence, k, **options))

    def _prepared(self, sentence: Sentence, keep_tags: bool) -> Sentence:
        """Refuse what is too long, and to go on without hooks; tag the sentence unless its tags are to be kept."""
        check_hooks(self.hooks, self.features.settings.hooks)
        if self.hooks and self.trees.is_hard:
            raise UsageError("hooks need a backbone, which non-projective trees under more than arc scores have not")
        if len(sentence) > MAX_WORDS:
            raise UsageError(f"a sentence of {len(sentence):,} words is too long to parse (the limit is {MAX_WORDS:,})")
        return sentence if keep_tags else self._tag(sentence)

    @property
    def has_factors(self) -> bool:
        """Whether there are factors beyond the parts of the factorization."""
        return self.features.has_factors or bool(self.hooks)

    @property
    def has_probabilities(self) -> bool:
        """Whether there are marginals and k best trees: nobody can compute them where search itself is hard."""
        return not self.trees.is_hard and not self.has_factors

    def _probabilities(self, scores: Scores) -> Scores:
        if not self.has_probabilities:
            raise UsageError(
                "this model searches non-projective trees under more than arc scores, or has non-local features or "
                "hooks, so that there are probabilities nobody can compute: parse without --confidence and --k-best"
            )
        return self.trees.marginals(scores.scaled(1 / self.temperature))  # type: ignore[no-any-return]

    def _tag(self, sentence: Sentence) -> Sentence:
        if not self.features.settings.needs_tags:
            return sentence
        if self.tagger is None:
            raise UsageError(
                "this model has no tagger, as it was trained on gold tags: "
                "give it tagged CoNLL-U with --keep-tags, or train one with --tags predicted"
            )
        return self.tagger.tag(sentence)

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the parser apart into a manifest and arrays."""
        return describe(self)

    @classmethod
    def restore(cls, manifest: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Parser:
        """Put together what `describe` took apart."""
        return cls(**restore(manifest, arrays))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; nothing is written if it fails."""
        save_model(path, *self.describe())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Parser:
        """Open a model file.

        Raises
        ------
        ModelError
            If it is not a sound model file of this kind.
        """
        return open_model(path, {KIND: cls.restore})


@contextmanager
def _explained(sentence: Sentence) -> Iterator[None]:
    """If a sentence has no tree, say which one and why."""
    try:
        yield
    except ValueError as error:
        raise UsageError(f"the sentence {' '.join(sentence.forms)[:60]!r} cannot be parsed: {error}") from None
