"""A distribution over dependency trees, as `torch.distributions` has them over numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints, register_kl

from treewright.inference import Parts, SearchSpace
from treewright.inference.kinds import PartKind
from treewright.torch import operators
from treewright.torch.answers import Marginals, RankedTrees
from treewright.torch.divergence import common_factorization, expected_score
from treewright.torch.heads import TreeConstraint
from treewright.torch.padded import ByKind, Padded
from treewright.torch.problem import Problem

__all__ = ["TreeDistribution"]

#: The names of scores, in the order of the arguments.
_NAMES = ("arc", "label", *map(str, list(PartKind)[1:]))


class TreeDistribution(Distribution):
    """Trees whose log-probability is the sum of the scores of their parts, less log Z.

    Scores have the shapes and conventions of `treewright.inference.Scores` behind a batch of any shape, or none; N is
    the number of words of the longest sentence plus 1, and index 0 is the root.  Minus infinity forbids a part.
    Entries that are in no tree, padding among them, may hold anything and get no gradient.

    A tree is an int64 tensor of heads, of shape (N,): -1 at the root and in padding.

    Parameters
    ----------
    arc : tensor, shape (…, N, N)
        ``arc[…, h, m]`` is the score of the arc from head h to modifier m.
    label : tensor, shape (…, N, N, L), optional
        ``label[…, h, m, l]`` is what the label l adds to the score of the arc.
    sibling, last, grandchild, grand_sibling, tri_sibling : tensor, optional
        Scores of larger parts.
    lengths : int tensor, shape (…), optional
        The number of words of each sentence; N - 1 if not given.
    allowed : bool tensor, shape (…, N, N), optional
        Which arcs ``[h, m]`` there are.
    fixed_heads : int tensor, shape (…, N), optional
        The head of each word that is known, -1 for the others.
    parts : sequence of Parts, optional
        The surviving parts of each sentence of a pruned batch.  Scores then have shape (…, P), where P is the most
        parts of that kind that a sentence has, and follow the order of `treewright.inference.Parts`.
    projective, single_root : bool
        Which trees there are: see `treewright.inference.Trees`.
    factorization : str
        Which parts are scored: see `treewright.inference.Trees`.
    validate_args : bool, optional
        Whether to check arguments, on a GPU at the price of waiting for it.

    Notes
    -----
    Computation is in float64 if a tensor of scores is, and in float32 otherwise: bfloat16 and float16 are converted,
    and answers are float32.  In float32, log Z is rounded to seven digits, and so are differences from it.

    Trees that need not be projective have every question with arc scores.  With ``sibling`` and ``grand-sibling``, they
    have a `mode` only, found by dual decomposition.

    Examples
    --------
    >>> trees = TreeDistribution(arc=torch.tensor([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    >>> trees.mode
    tensor([-1,  2,  0])
    >>> trees.log_partition, trees.log_prob(trees.mode).exp()
    (tensor(8.0067), tensor(0.9933))
    >>> trees.marginals.arc[2, 1]
    tensor(0.9933)
    """

    arg_constraints: ClassVar = {"arc": constraints.dependent}  # on everything else; operators check it

    def __init__(
        self,
        arc: Tensor,
        label: Tensor | None = None,
        sibling: Tensor | None = None,
        last: Tensor | None = None,
        grandchild: Tensor | None = None,
        grand_sibling: Tensor | None = None,
        tri_sibling: Tensor | None = None,
        *,
        lengths: Tensor | Sequence[int] | None = None,
        allowed: Tensor | None = None,
        fixed_heads: Tensor | None = None,
        parts: Sequence[Parts] | None = None,
        projective: bool = True,
        single_root: bool = True,
        factorization: str = "arc",
        validate_args: bool | None = None,
    ) -> None:
        tensors = (arc, label, sibling, last, grandchild, grand_sibling, tri_sibling)
        scores = {name: tensor for name, tensor in zip(_NAMES, tensors, strict=True) if tensor is not None}
        space = SearchSpace(projective, single_root, factorization)
        shape, self.problem = Problem.of(scores, space, lengths, allowed, fixed_heads, parts)
        self.arc, self.scores, self._allowed, self._fixed_heads = arc, scores, allowed, fixed_heads
        self._batch = self.problem.batch("sum")
        self._sums: tuple[Tensor, ByKind] | None = None
        super().__init__(shape, torch.Size([self.problem.size]), validate_args)
        if self._checks:
            self.problem.check(fixed_heads, shape)

    def replace(self, **changes: Any) -> TreeDistribution:
        """Return the same distribution but for some arguments."""
        problem, space = self.problem, self.problem.space
        arguments = {
            **self.scores,
            "lengths": problem.lengths.reshape(self.batch_shape),
            "allowed": self._allowed,
            "fixed_heads": self._fixed_heads,
            "parts": problem.parts,
            "projective": space.projective,
            "single_root": space.single_root,
            "factorization": space.factorization,
            "validate_args": self._validate_args,
        }
        return type(self)(**{**arguments, **changes})

    def expand(self, batch_shape: torch.types._size, _instance: Any = None) -> TreeDistribution:
        """Return the same distribution for a larger batch."""
        shape, old = torch.Size(batch_shape), self.batch_shape
        scores = {name: one.expand(*shape, *one.shape[len(old) :]) for name, one in self.scores.items()}
        lengths, parts = self.problem.lengths.reshape(old).expand(shape), self.problem.parts
        if parts is not None:
            numbers = torch.arange(len(parts)).reshape(old).expand(shape).reshape(-1)
            parts = tuple(parts[number] for number in numbers.tolist())
        return self.replace(**scores, lengths=lengths, parts=parts)

    def given(self, heads: Tensor, labels: Tensor | None = None) -> TreeDistribution:
        """Return the distribution of the trees that have these heads, and labels; -1 where they are not known."""
        known = self.problem.agrees(self.flat(heads)).reshape(*self.batch_shape, *2 * self.event_shape)
        changes: dict[str, Any] = {"allowed": known if self._allowed is None else known & self._allowed}
        if labels is not None:
            others = self.problem.has_other_label(self.flat(labels)).reshape(self.scores["label"].shape)
            changes["label"] = torch.where(others, -math.inf, self.scores["label"])
        return self.replace(**changes)

    # --- sums over trees ------------------------------------------------------------------------------------------

    @property
    def log_partition(self) -> Tensor:
        """Log Z of each sentence, of shape batch_shape: the log of the sum over trees of the exponential of scores."""
        if self._sums is None and not self._needs_gradient:
            self.problem.refuse_hard("log_partition")
            return operators.log_partition(self._batch, self._checks).reshape(self.batch_shape)
        return self._solved()[0].reshape(self.batch_shape)

    @property
    def marginals(self) -> Marginals:
        """The probability of each part, and of each label of an arc."""
        found = {kind: one.reshape(self.scores[kind].shape) for kind, one in self.expected_parts().items()}
        return Marginals(**found)

    def expected_parts(self) -> ByKind:
        """Return the marginals by name, with one dimension for the batch."""
        marginals = dict(self._solved()[1])
        if self.problem.label is not None:
            marginals["label"] = marginals["arc"][..., None] * self.problem.label_shares()
        return marginals

    def _solved(self) -> tuple[Tensor, ByKind]:
        """Return log Z and the marginals, computed once; again if they were computed without a gradient."""
        if self._sums is None or (self._needs_gradient and not self._sums[0].requires_grad):
            self.problem.refuse_hard("marginals")
            self._sums = operators.sums(self._batch, self._checks)
        return self._sums

    @property
    def _needs_gradient(self) -> bool:
        return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in self._batch.scores.values())

    def entropy(self) -> Tensor:
        """Compute the entropy of trees, and of their labels, in nats."""
        return (self.log_partition - self._expected_score(self)).clamp(min=0.0)

    def cross_entropy(self, other: TreeDistribution) -> Tensor:
        """Compute the expected negative log-probability under another distribution of a tree of this one."""
        return other.log_partition - self._with_parts_of(other)._expected_score(other)

    def kl(self, other: TreeDistribution) -> Tensor:
        """Compute the Kullback-Leibler divergence of another distribution from this one."""
        own = self._with_parts_of(other)
        return other.log_partition - own.log_partition + own._expected_score(self) - own._expected_score(other)

    def _expected_score(self, other: TreeDistribution) -> Tensor:
        """Compute what another distribution scores a tree of this one, on average."""
        return expected_score(other.problem, self.expected_parts()).reshape(self.batch_shape)

    def _with_parts_of(self, other: TreeDistribution) -> TreeDistribution:
        """Return this distribution with marginals of all parts that another scores; here they score zero."""
        factorization = common_factorization(self.problem, other.problem)
        missing = {name: torch.zeros_like(one) for name, one in other.scores.items() if name not in self.scores}
        same = not missing and factorization == self.problem.space.factorization
        return self if same else self.replace(**missing, factorization=factorization)

    # --- trees ----------------------------------------------------------------------------------------------------

    @property
    def support(self) -> TreeConstraint:
        """What holds of the heads of trees."""
        return TreeConstraint(self.problem.lengths, self.problem.space)

    def score(self, heads: Tensor, labels: Tensor | None = None) -> Tensor:
        """Add up the scores of the parts of trees; where labels are scored and none given, the log-sum of theirs."""
        trees = self.flat(heads)
        if self._checks:
            self.support.refuse_others(trees)
        if labels is not None and self.problem.label is None:
            raise ValueError("labels are given, but there are no label scores")
        found = self.problem.score(trees, None if labels is None else self.flat(labels), self._batch)
        return found.reshape(heads.shape[:-1])

    def log_prob(self, heads: Tensor, labels: Tensor | None = None) -> Tensor:
        """Compute the log-probability of trees, of shape (…, *batch_shape, N); without labels, whatever theirs are."""
        return self.score(heads, labels) - self.log_partition

    @torch.no_grad()
    def sample(self, sample_shape: torch.types._size = ()) -> Tensor:
        """Draw trees at random, exactly and independently; ``torch.manual_seed`` decides which."""
        self.problem.refuse_hard("sample")
        shape = torch.Size(sample_shape)
        seed = torch.randint(2**62, ())
        heads = operators.sample(self._batch, shape.numel(), seed, self._checks)
        return heads.reshape(*shape, *self.batch_shape, *self.event_shape)

    @property
    @torch.no_grad()
    def mode(self) -> Tensor:
        """The best tree of each sentence; see `best_labels` for its labels."""
        return self._best(self.problem.batch("max"))

    @torch.no_grad()
    def mbr(self) -> Tensor:
        """Find the tree with the highest expected number of correct heads (minimum Bayes risk)."""
        arc, expected = self._batch.scores["arc"], self._solved()[1]["arc"]
        scores = {"arc": torch.where(arc == -math.inf, arc, expected)}
        space = SearchSpace(self.problem.space.projective, self.problem.space.single_root)
        return self._best(Padded(scores, self.problem.lengths, space, self.problem.parts))

    @torch.no_grad()
    def k_best(self, k: int) -> RankedTrees:
        """Find the k best trees of each sentence, best first; on the CPU, wherever the scores are."""
        if k < 0:
            raise ValueError(f"k is {k}: it must be at least 0")
        self.problem.refuse_hard("k_best")
        scores, heads = operators.k_best(self.problem.batch("max"), k, self._checks)
        return RankedTrees(heads.reshape(k, *self.batch_shape, *self.event_shape), scores.reshape(k, *self.batch_shape))

    def best_labels(self, heads: Tensor) -> Tensor:
        """Find the best label of each arc of trees: int64, -1 at the root and in padding."""
        return self.problem.best_labels(self.flat(heads)).reshape(heads.shape)

    def _best(self, batch: Padded) -> Tensor:
        _, heads = operators.argmax(batch, self._checks)
        return heads.reshape(*self.batch_shape, *self.event_shape)

    # --- what is refused ------------------------------------------------------------------------------------------

    @property
    def _checks(self) -> bool:
        """Whether to check arguments: a compiler cannot decide by what tensors hold."""
        return bool(self._validate_args) and not torch.compiler.is_compiling()

    def flat(self, heads: Tensor) -> Tensor:
        """Return heads or labels with one dimension for the batch, and those of samples before it."""
        shape, whole = self.batch_shape, (*self.batch_shape, *self.event_shape)
        if tuple(heads.shape[heads.ndim - len(whole) :]) != whole or heads.is_floating_point():
            wanted = ", ".join(map(str, ("…", *whole)))
            raise ValueError(
                f"heads or labels have shape {tuple(heads.shape)} and hold {heads.dtype}: they must be whole numbers "
                f"of shape ({wanted})"
            )
        return heads.reshape(*heads.shape[: heads.ndim - len(whole)], shape.numel(), *self.event_shape).long()

    def __repr__(self) -> str:
        space = self.problem.space
        kind = f"projective={space.projective}, single_root={space.single_root}"
        return (
            f"TreeDistribution(batch_shape={tuple(self.batch_shape)}, event_shape={tuple(self.event_shape)}, {kind}, "
            f"factorization={space.factorization!r})"
        )


@register_kl(TreeDistribution, TreeDistribution)  # type: ignore[no-untyped-call]
def _kl(p: TreeDistribution, q: TreeDistribution) -> Tensor:
    return p.kl(q)
