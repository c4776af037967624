"""The dependency parser: text to trees.  Tokenize, tag, prune, score, search: one step after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack

from treewright.arrays import Arrays, Floats
from treewright.dependency.calibration import Calibration, Weighted
from treewright.dependency.components import describe_components, restore_components, restore_tokenizer
from treewright.dependency.pruning import Cascade
from treewright.dependency.request import Request, Search, answer, explained, find_heads
from treewright.dependency.search import best_tree, known_of, score_sentence
from treewright.errors import IntractableError, UsageError
from treewright.features import Scorer
from treewright.features.hooks import check_hooks
from treewright.inference import ConstrainedTrees, Constraints, Parse, Scores, Trees
from treewright.inference.bounds.non_local import Proposer
from treewright.model import Described, Manifest
from treewright.parsing import ParsingOptions, Ranked, TreeParser
from treewright.tagging import SentenceTagger
from treewright.tokenization import Splitter
from treewright.treebank import Sentence

if TYPE_CHECKING:
    from treewright.tokenization import Tokenizer

__all__ = ["Parser"]


@dataclass(eq=False, repr=False)
class Parser(TreeParser[Sentence]):
    """Finds the best dependency tree of each sentence.

    Made by `treewright.load` or `treewright.train_parser`.

    Attributes
    ----------
    hooks : list
        Functions that propose factors of your own for a sentence
        (`treewright.inference.bounds.non_local.Proposer`), with scores, or with features that the model has learned.
        They are not part of the model file; the names of those that it was trained with are, and without these it does
        not parse.
    at_most_one : sequence of str
        Relations that at most one modifier of a head has in the trees that are found, as in those it was trained with.
    tokenizer : Tokenizer, optional
        What cuts raw text into sentences and words; without one, the rules of the language do.

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

    KIND: ClassVar[str] = "dependency-parser"
    MAX_WORDS: ClassVar[int] = 1_000  # whose label scores take some 200 MB

    scorer: Scorer
    trees: Trees
    tagger: SentenceTagger | None
    info: dict[str, Any]
    pruner: Cascade | None = None
    calibration: Calibration = field(default_factory=Calibration)
    hooks: list[Proposer] = field(default_factory=list)
    at_most_one: Sequence[str] = ()
    tokenizer: Tokenizer | None = None

    def parse_sentence(
        self,
        sentence: Sentence,
        *,
        keep_tags: bool = False,
        fix_heads: bool = False,
        complete: bool = False,
        joint_tags: int = 0,
        confidence: bool = False,
        exact: bool = False,
        constraints: Constraints | None = None,
        obey: bool = False,
        alternatives: int = 0,
        time_limit: float = math.inf,
    ) -> Sentence:
        """Parse one sentence; everything but lemmas, tags, heads and relations stays as it is.

        Parameters
        ----------
        sentence : Sentence
        keep_tags : bool
            Whether to keep the tags and lemmas that the sentence has.  Words without any are tagged.
        fix_heads : bool
            Whether to keep the heads and relations that the sentence has and find only the others.
        complete : bool
            Whether to keep all lemmas, tags, heads and relations that the sentence has and fill in every ``_``.  What
            is given informs the rest.
        joint_tags : int
            How many taggings to consider.  If there are several, the best pair of tags and tree is found, and
            probabilities are averages over them (`treewright.dependency.readings`).
        confidence : bool
            Whether to note probabilities.  In MISC: of each head (``Confidence=0.97``), of each relation if the head is
            correct (``LabelConfidence=0.99``), of each predicted tag (``TagConfidence=0.98``).  In comments: of the
            tree (``# probability = 0.42``), and how many words are expected to have a wrong head or relation
            (``# expected_errors = 1.30``).
        exact : bool
            Whether to search on until the tree is proved to be the best, however long that takes, where the usual
            search may end without a proof (non-projective trees under more than arc scores).  A tree without a proof
            has the comment ``# certificate = no``.
        constraints : Constraints, optional
            What must hold of the tree, with labels by name: the best tree that obeys is found.  Its probabilities are
            those under the constraints on arcs, labels and spans; under others they are intractable.
        obey : bool
            Whether the tree must obey the constraints in comments of the sentence, too:
            ``# constraints = {"required": [[2, 1]], "spans": [[3, 5]]}``.
        alternatives : int
            How many other heads and relations to note of each word whose own are less than 90 % probable, with their
            probabilities, in MISC: ``Rivals=3:obl:0.21,5:nmod:0.10``.  Implies ``confidence``.
        time_limit : float
            Seconds after which a search that branches (``exact``, and rules about several arcs) is content with a tree
            without a proof, or given up, which is an `IntractableError`.

        Examples
        --------
        >>> import treewright
        >>> sentence = treewright.load("en").parse_sentence(treewright.Sentence.from_forms(["Trees", "grow", "."]))
        >>> sentence.upos, sentence.heads.tolist()
        (['NOUN', 'VERB', 'PUNCT'], [2, 0, 2])
        """

        def search(tagged: Sentence, known: Constraints, scores: Scores) -> list[Parse]:
            return [best_tree(self, tagged, scores, request.exact, known, time_limit)]

        request = Request(
            keep_tags, fix_heads, complete, joint_tags, confidence, exact, constraints, obey, alternatives, time_limit
        )
        if request.has_probabilities or joint_tags > 1:
            self._refuse_intractable()
        return self._answered(sentence, request, search, None)[0].tree

    def k_best(
        self, sentence: Sentence, k: int, *, labelled: bool = True, **options: Unpack[ParsingOptions]
    ) -> list[Ranked[Sentence]]:
        """Find the k best trees of a sentence, best first, with the probability of heads and relations.

        The trees differ in heads or relations; in heads, unless ``labelled``.  See `parse_sentence` for the options;
        the k best trees are exact in any case.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load("en")
        >>> [sentence] = parser.parse("I saw her duck.")
        >>> best = parser.k_best(sentence, 3)
        >>> len(best), best[0].probability > best[1].probability
        (3, True)
        """

        def search(tagged: Sentence, known: Constraints, scores: Scores) -> list[Parse]:
            space = ConstrainedTrees(self.trees, known, request.time_limit) if known else self.trees
            return space.k_best(scores, k, labelled=labelled)

        self._refuse_intractable()
        request = Request(**options)
        return self._answered(sentence, request, search, k)

    def _answered(self, sentence: Sentence, request: Request, search: Search, k: int | None) -> list[Ranked[Sentence]]:
        """Refuse what cannot be parsed, and answer the rest."""
        if not len(sentence):
            return [Ranked(sentence, 0.0)]
        check_hooks(self.hooks, self.scorer.hooks)
        if self.hooks and self.trees.is_hard:
            raise UsageError("hooks need a backbone, which non-projective trees under more than arc scores lack")
        self.refuse_too_long(sentence)
        with explained(sentence, self.scorer.labels):
            return answer(self, sentence, request, search, k)

    def candidates(self, sentence: Sentence, k: int, **options: Unpack[ParsingOptions]) -> list[Ranked[Sentence]]:
        """Find the k best trees that a reranker chooses from: they differ in heads, and have their best relations."""
        return self.k_best(sentence, k, labelled=False, **options)

    def scores(self, sentence: Sentence, *, fix_heads: bool = False, constraints: Constraints | None = None) -> Scores:
        """Score the parts of a tagged sentence that survive pruning.

        With these, `treewright.inference.Trees` answers questions about the model; under constraints, which forbid
        arcs and labels here, `treewright.inference.ConstrainedTrees`.  It is a ValueError if no tree obeys.
        """
        known = known_of(self, sentence, fix_heads, constraints)
        return known.of_arcs(score_sentence(self, sentence, known, self.pruner))

    def distribution(
        self, sentence: Sentence, *, of: Literal["parts", "trees"] = "parts", fix_heads: bool = False
    ) -> Weighted:
        """Score the parts of a tagged sentence so that probabilities under these scores hold.

        With these, what `treewright.inference.Trees` answers is calibrated (`treewright.dependency.calibration`): about
        arcs and relations (`Trees.marginals`) with ``parts``; about whole trees (`Trees.log_prob`, `Trees.sample`) with
        ``trees``.  The distribution is an average of a few: pairs of the share of each and its scores.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load("en")
        >>> [sentence] = parser.parse("Trees grow.")
        >>> tree = sentence.rooted_heads()
        >>> parts = parser.distribution(sentence)
        >>> heads = sum(share * parser.trees.marginals(scores).of_arcs(tree) for share, scores in parts)
        >>> bool(heads.min() > 0.9)
        True
        """
        self._refuse_intractable()
        scores = self.scores(sentence, fix_heads=fix_heads)
        return self.calibration.of_parts(scores) if of == "parts" else self.calibration.of_trees(scores)

    def head_probabilities(
        self, sentence: Sentence, *, fix_heads: bool = False, constraints: Constraints | None = None
    ) -> Floats:
        """Compute the probability of each head of each word of a tagged sentence: a row a word, heads 0…n across.

        See `parse_sentence` for the options.  It is an error if probabilities are intractable.

        Examples
        --------
        >>> import treewright
        >>> parser = treewright.load("en")
        >>> [sentence] = parser.parse("Trees grow.")
        >>> parser.head_probabilities(sentence).argmax(axis=1).tolist() == sentence.heads.tolist()
        True
        """
        self._refuse_intractable()
        self.refuse_too_long(sentence)
        with explained(sentence, self.scorer.labels):
            return find_heads(self, sentence, fix_heads, constraints)

    @property
    def trees_found(self) -> str:
        """What the trees are: ``dependencies``."""
        return "dependencies"

    @property
    def splitter(self) -> Splitter:
        """What cuts raw text into sentences and words: the tokenizer, or the rules of the language."""
        return self.tokenizer or super().splitter

    @property
    def needs_tags(self) -> bool:
        """Whether sentences must come with tags: the model learned from gold tags and has no tagger."""
        return self.tagger is None and self.scorer.needs_tags

    @property
    def has_factors(self) -> bool:
        """Whether there are factors beyond the parts of the factorization."""
        return self.scorer.has_factors or bool(self.hooks)

    @property
    def has_probabilities(self) -> bool:
        """Whether there are marginals and k best trees: they are intractable where search itself is hard."""
        return not self.trees.is_hard and not self.has_factors

    @property
    def identity(self) -> str:
        """A digest of all that decides which trees the parser finds, hooks included."""
        hooks = [f"{hook.__module__}.{getattr(hook, '__qualname__', '')}" for hook in self.hooks]
        return " ".join([super().identity, *hooks])

    def _refuse_intractable(self) -> None:
        if not self.has_probabilities:
            raise IntractableError(
                "probabilities are intractable for this model (non-projective trees under more than arc scores, "
                "non-local features, or hooks): parse without --confidence and --k-best"
            )

    def describe(self) -> Described:
        """Describe the parser as a manifest and arrays."""
        components, arrays = describe_components(self.scorer, self.tagger, self.pruner, self.tokenizer)
        about = {"kind": self.KIND, "info": self.info, "trees": asdict(self.trees)}
        about |= {"calibration": self.calibration.describe(), "at_most_one": list(self.at_most_one)}
        return {**about, **components}, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a parser from its description."""
        scorer, tagger, pruner = restore_components(manifest, arrays)
        return cls(
            scorer,
            Trees(**manifest["trees"]),
            tagger,
            dict(manifest["info"]),
            pruner,
            Calibration.restore(manifest),
            at_most_one=tuple(manifest.get("at_most_one", ())),
            tokenizer=restore_tokenizer(manifest, arrays),
        )
