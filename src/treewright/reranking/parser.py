"""A parser and a reranker in one step: the k best trees of a sentence, and the choice from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from treewright.constituency.pcfg.parser import PcfgParser
from treewright.constituency.tag.parser import ConstituentParser, RankedTree
from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.reranking import Candidates, CandidatesBuilder, Origin, Reranker
from treewright.reranking.trainers import log_of
from treewright.treebank import Sentence

__all__ = ["RerankedParser"]


class RerankedParser:
    """Gives the tree that a reranker chooses from the k best of a parser (Collins and Koo 2005).

    Parameters
    ----------
    parser : Parser, ConstituentParser or PcfgParser
    reranker : Reranker
        Trained on candidates of the same kind of trees.
    k : int, optional
        How many candidates it chooses from; as many as it was trained on unless given.

    Raises
    ------
    UsageError
        When the reranker was made for other trees, or does not say for which.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright
    >>> from treewright.reranking import CandidatesBuilder, LinearReranker, Origin
    >>> builder = CandidatesBuilder(origin=Origin("dependencies", "dependencies", 5, ("rule",)))
    >>> builder.add([0.0], [1.0], [["rule root -> nsubj *VERB obj punct"]])
    >>> reranker = LinearReranker.of(builder.build(), 1.0, np.array([0.5]), {"origin": builder.origin.to_dict()})
    >>> parser = RerankedParser(treewright.load("en"), reranker)
    >>> [tree] = parser.trees_of(treewright.Sentence.from_forms(["She", "reads", "books", "."]))
    >>> tree.heads.tolist()
    [2, 0, 2, 2]
    """

    def __init__(
        self, parser: Parser | ConstituentParser | PcfgParser, reranker: Reranker, k: int | None = None
    ) -> None:
        self.parser, self.reranker = parser, reranker
        origin = _checked(reranker, "dependencies" if isinstance(parser, Parser) else "constituents")
        self.k = k or origin.k
        self._features = origin.features() if reranker.vocabulary else None

    @property
    def info(self) -> Mapping[str, Any]:
        """What the parser is."""
        return self.parser.info

    @property
    def hooks(self) -> Sequence[Any]:
        """The hooks of the parser."""
        return getattr(self.parser, "hooks", ())

    def trees_of(self, sentence: Sentence, k: int | None = None, **options: Any) -> list[Any]:
        """Give the tree that is chosen, with the options of the ``k_best`` of the parser.

        ``k`` is there for the sake of other parsers, and must be None: only one tree is chosen.
        """
        if k is not None:
            raise UsageError("a reranker chooses one tree of each sentence; do not ask for several")
        if not len(sentence):
            return list(self.parser.trees_of(sentence, None, **options))
        found: Sequence[Any] = self.parser.k_best(sentence, self.k, **options)
        trees = [tree for tree, *_ in found]
        candidates = self._candidates(trees, [log_of(probability or 0.0) for *_, probability in found])
        chosen = trees[int(self.reranker.best(candidates, [trees])[0])]
        return [RankedTree(chosen) if isinstance(found[0], RankedTree) else chosen]

    def _candidates(self, trees: Sequence[Any], log_probabilities: Sequence[float]) -> Candidates:
        builder = CandidatesBuilder()  # its features are those of one sentence, and not all that the reranker knows
        features = [self._features(tree) if self._features is not None else () for tree in trees]
        builder.add(log_probabilities, [0.0] * len(trees), features)
        return builder.build()

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take parser and reranker apart into one manifest and arrays."""
        (parser, of_parser), (reranker, of_reranker) = self.parser.describe(), self.reranker.describe()
        arrays = {f"parser.{name}": array for name, array in of_parser.items()}
        arrays |= {f"reranker.{name}": array for name, array in of_reranker.items()}
        return {"parser": parser, "reranker": reranker, "k": self.k}, arrays


def _checked(reranker: Reranker, trees: str) -> Origin:
    """Refuse a reranker that cannot choose from such trees."""
    origin = reranker.origin
    if origin is None:
        raise UsageError(
            "the reranker does not say what its candidates were: list them with treewright rerank candidates, "
            "train it on those, and parse with that"
        )
    if origin.trees != trees:
        raise UsageError(f"the reranker chooses from {origin.trees}, and this parser finds {trees}: give one of these")
    if reranker.vocabulary is None:
        raise UsageError("the features of the reranker have no names, so that they cannot be found in new trees")
    return origin
