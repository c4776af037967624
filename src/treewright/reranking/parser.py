"""A parser and a reranker in one step: the k best trees of a sentence, and the choice among them."""

from __future__ import annotations

from typing import ClassVar, Self, TypeVar, Unpack

from treewright.arrays import Arrays
from treewright.errors import UsageError
from treewright.model import Described, Manifest, nest, part
from treewright.parsing import ParsingOptions, Ranked, TreeParser
from treewright.reranking.candidates.builder import CandidatesBuilder
from treewright.reranking.candidates.origin import Origin, likely
from treewright.reranking.reranker import Reranker
from treewright.tokenization import Splitter, main_code, name_of_language
from treewright.treebank import Sentence

__all__ = ["RerankedParser"]

T = TypeVar("T")


class RerankedParser(TreeParser[T]):
    """A parser with a reranker, which chooses among the k best trees of the parser (Collins and Koo 2005).

    Parameters
    ----------
    parser : TreeParser
    reranker : Reranker
        Trained on candidates of the same kind of trees.
    k : int, optional
        The number of candidates to choose from; by default the number that the reranker was trained on.  If its
        candidates had to be within some log-probability of the most probable one, so do these.

    Raises
    ------
    UsageError
        If the reranker was made for other trees, or does not say for which.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright
    >>> from treewright.reranking import CandidatesBuilder, LinearReranker, Origin
    >>> builder = CandidatesBuilder(origin=Origin("dependencies", "dependencies", 5, ("rule",)))
    >>> builder.add([0.0], [1.0], [["rule root -> nsubj *VERB obj punct"]])
    >>> reranker = LinearReranker.of(builder.build(), 1.0, np.array([0.5]), {"origin": builder.origin.to_dict()})
    >>> parser = RerankedParser(treewright.load("en"), reranker)
    >>> [tree] = parser.parse("She reads books.")
    >>> tree.heads.tolist()
    [2, 0, 2, 2]
    """

    KIND: ClassVar[str] = "reranked-parser"

    def __init__(self, parser: TreeParser[T], reranker: Reranker, k: int | None = None) -> None:
        self.parser, self.reranker, self.info = parser, reranker, parser.info
        origin = _checked(reranker, parser)
        self.k, self._within = k or origin.k, origin.within
        self._features = origin.features() if reranker.vocabulary else None

    @property
    def trees_found(self) -> str:
        """What the trees are: those of the parser."""
        return self.parser.trees_found

    @property
    def splitter(self) -> Splitter:
        """What cuts raw text into sentences and words: that of the parser."""
        return self.parser.splitter

    @property
    def needs_tags(self) -> bool:
        """Whether sentences must come with tags: the parser has no tagger."""
        return self.parser.needs_tags

    @property
    def identity(self) -> str:
        """A digest of all that decides which trees are found, the hooks of the parser included."""
        return f"{self.parser.identity} {super().identity}"

    def accepts(self, sentence: Sentence) -> bool:
        """Return whether a sentence has a tree at all."""
        return self.parser.accepts(sentence)

    def parse_sentence(self, sentence: Sentence, **options: Unpack[ParsingOptions]) -> T:
        """Find the tree that the reranker chooses; the options are those of the parser's ``k_best``."""
        if not len(sentence):
            return self.parser.parse_sentence(sentence)
        found = likely(self.parser.candidates(sentence, self.k, **options), self._within)
        trees = [ranked.tree for ranked in found]
        builder = CandidatesBuilder()  # whose features are those of one sentence, not all that the reranker knows
        features = [self._features(tree) if self._features is not None else () for tree in trees]
        builder.add([ranked.log_probability for ranked in found], [0.0] * len(trees), features)
        return trees[int(self.reranker.best(builder.build(), [trees])[0])]

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[Ranked[T]]:
        """Refuse: a reranker chooses one tree, and its scores are not probabilities."""
        raise UsageError("a reranker chooses one tree of each sentence; do not ask for several")

    def describe(self) -> Described:
        """Describe parser and reranker as one manifest and arrays."""
        (parser, of_parser), (reranker, of_reranker) = self.parser.describe(), self.reranker.describe()
        manifest = {"kind": self.KIND, "info": self.info, "parser": parser, "reranker": reranker, "k": self.k}
        return manifest, {**nest("parser", of_parser), **nest("reranker", of_reranker)}

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a parser with its reranker from their description."""
        parser = TreeParser[T].restore_any(manifest["parser"], part("parser", arrays))
        reranker = Reranker.restore_any(manifest["reranker"], part("reranker", arrays))
        return cls(parser, reranker, int(manifest["k"]))


def _checked(reranker: Reranker, parser: TreeParser[T]) -> Origin:
    """Return the origin of a reranker; refuse one that cannot choose from the trees of this parser."""
    origin = reranker.origin
    if origin is None:
        raise UsageError(
            "the reranker does not say what its candidates were: list them with treewright rerank candidates, "
            "train it on those, and parse with that"
        )
    trees, language = parser.trees_found, parser.language
    if origin.trees != trees:
        raise UsageError(f"the reranker chooses from {origin.trees}, and this parser finds {trees}: give one of these")
    if origin.language and language and main_code(origin.language) != main_code(language):
        theirs, own = name_of_language(origin.language), name_of_language(language)
        raise UsageError(f"the reranker is for {theirs}, and this parser for {own}: give one of the same language")
    if reranker.vocabulary is None:
        raise UsageError("the features of the reranker have no names, so that they cannot be found in new trees")
    return origin
