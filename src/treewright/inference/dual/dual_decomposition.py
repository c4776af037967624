"""Dual decomposition: the best tree under sibling and grandparent scores, projective or not, with its certificate.

The algorithm is in `treewright.inference.dual.subgradient`; here scores are prepared for it, and its answer read off.
"""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.inference.charts.folding import taken
from treewright.inference.charts.plans import refuse_too_large
from treewright.inference.dual import branching, subgradient
from treewright.inference.dual.automata import STATES, Automata, Flags, HeadAutomata
from treewright.inference.dual.bigrams import BIGRAMS, GRAND_BIGRAMS, Bigrams, fold_grand
from treewright.inference.dual.branching import Outcome
from treewright.inference.dual.configurations import STALL, probe, tighten
from treewright.inference.dual.iteration import Multipliers
from treewright.inference.dual.relaxed import choice, parts_of_choice
from treewright.inference.dual.subgradient import AGREEMENT, BOUND, OPEN, TINY, AllChosen, AllHeads, History
from treewright.inference.labels import best_labels
from treewright.inference.parse import Parse
from treewright.inference.parts import Parts, all_parts
from treewright.inference.problem import Problem
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace

__all__ = ["DualDecomposition", "Trace"]


#: Trees whose dense parts are few enough that their number need not be looked at.
HARMLESS = 60

_PROOFS = {AGREEMENT: "agreement", BOUND: "bound"}

_NOTHING, _NO_NUMBERS = np.empty(0), np.empty(0, np.int64)
_NO_TREES, _NO_CHOICES = np.empty((0, 0), np.int32), np.empty((0, 0), np.bool_)


@dataclass(frozen=True, eq=False)
class Trace:
    """The record of a search by dual decomposition.

    Attributes
    ----------
    parse : Parse
        The tree that was found.
    proof : str
        How the tree was proved to be the best: ``agreement`` if y = z (= z↑) in the last iteration, ``bound`` if the
        least dual value is the score of the tree up to rounding, ``branching`` if branch and bound finished.  Empty if
        there is no certificate.
    dual, primal : float64 arrays, shape (iterations,)
        The dual value L(u, v) of each iteration, and the score of its tree y.
    recomputed : int64 array, shape (iterations,)
        How many of the n + 1 automata were decoded; the others kept their choice (lazy decoding).
    trees : int32 array, shape (iterations, n + 1)
        The heads of y.  Empty unless choices were asked for, like what follows.
    chosen : bool array, shape (iterations, A)
        Which arcs the automata have taken: z.
    arcs : int array, shape (A, 2)
        Head and modifier of each arc that may be taken.
    """

    parse: Parse
    proof: str
    dual: Floats
    primal: Floats
    recomputed: Ints
    trees: AllHeads
    chosen: AllChosen
    arcs: Ints

    def disputed(self, iteration: int) -> list[tuple[int, int]]:
        """List the arcs, head and modifier, that one of y and z has in an iteration, and the other has not."""
        in_tree = self.trees[iteration][self.arcs[:, 1]] == self.arcs[:, 0]
        return [(h, m) for h, m in self.arcs[in_tree != self.chosen[iteration]].tolist()]


class _Ready(NamedTuple):
    """A problem in the form that the kernel takes: arcs, their scores, a kind of automata and their scores."""

    parts: Parts
    arc: Floats
    automata: Automata
    data: Any


@dataclass(frozen=True)
class DualDecomposition:
    """The best tree under sibling or grandparent and sibling scores, by dual decomposition (Koo et al. 2010).

    Head automata choose the modifiers (and the head) of each word by themselves, a search for the best tree under arc
    scores chooses a tree, and Lagrange multipliers make them agree.  Where they do, the tree is the best one, which is
    its certificate; where they do not within ``max_iterations``, the best tree seen is returned, with the gap to the
    bound.

    Parameters
    ----------
    trees : SearchSpace
        The trees that are searched, such as `Trees`, with ``sibling`` or ``grand-sibling`` scores.  Projective trees
        have dynamic programs of their own; here Eisner's algorithm replaces the arborescence (section 7.7).
    max_iterations : int
        The most iterations before the search ends (section 7.5).
    tighten : bool
        Whether to tighten the relaxation where aimed steps stall (`treewright.inference.dual.configurations`).
    exact : bool
        Whether to go on by branch and bound until the tree has a certificate (`treewright.inference.dual.branching`).
    max_nodes, time_limit
        How often the trees may be split then, and the seconds that each problem may take in all.
    steps : str
        ``aimed``, or ``paper`` for the step sizes of appendix A.1, which take several times as many iterations.
    gamma : float
        The share of the arc scores that the tree has, not the automata (appendix A.2).

    Examples
    --------
    Word 3 goes well with word 1 as its inner sibling, and badly without:

    >>> arc = np.zeros((5, 5))
    >>> for h, m in [(0, 2), (2, 4), (4, 1), (2, 3)]:
    ...     arc[h, m] = 1.0
    >>> sibling = np.zeros((5, 5, 5))
    >>> sibling[4, 3, 1] = 2.0                  # 3 and 1 are both modifiers of 4
    >>> trees = SearchSpace(projective=False, factorization="sibling")
    >>> parse = DualDecomposition(trees).argmax(Scores(arc=arc, sibling=sibling))
    >>> parse.heads, parse.score, parse.certificate
    (array([-1,  4,  0,  4,  2], dtype=int32), 5.0, True)
    """

    trees: SearchSpace = field(default_factory=lambda: SearchSpace(projective=False, factorization="grand-sibling"))
    max_iterations: int = 5000
    tighten: bool = True
    exact: bool = False
    max_nodes: int = 100_000
    time_limit: float = math.inf
    steps: str = "aimed"
    gamma: float = 0.001

    def __post_init__(self) -> None:
        if self.trees.factorization not in ("sibling", "grand-sibling"):
            raise ValueError(
                f"dual decomposition is for the factorizations 'sibling' and 'grand-sibling', not for "
                f"{self.trees.factorization!r}"
            )
        if self.steps not in ("aimed", "paper"):
            raise ValueError(f"steps is {self.steps!r}: there are 'aimed' and 'paper'")
        if self.max_iterations < 1 or self.max_nodes < 0:
            raise ValueError(
                f"max_iterations is {self.max_iterations} and max_nodes is {self.max_nodes}: they must be at "
                "least 1 and 0"
            )
        if not 0.0 <= self.gamma <= 1.0:
            raise ValueError(f"gamma is {self.gamma}: it is a share, from 0 to 1")

    def argmax(self, scores: Scores, automata: HeadAutomata | None = None) -> Parse:
        """Find the tree with the highest score, with the best label on each arc if labels are scored.

        Parameters
        ----------
        scores : Scores
        automata : HeadAutomata, optional
            Automata with states, in the place of those of the factorization; ``scores`` are then of arcs and labels.

        Raises
        ------
        ValueError
            If every tree contains a forbidden part; or if no tree without one was found, though there may be some.
        """
        return self._solve(scores, automata, 0).parse

    def trace(self, scores: Scores, automata: HeadAutomata | None = None, *, choices: bool = False) -> Trace:
        """Find the same tree, and record each iteration before any branching; with ``choices``, y and z, too."""
        return self._solve(scores, automata, self.max_iterations, choices)

    def relaxed(self, scores: Scores) -> dict[str, Ints]:
        """List the parts that the automata choose by themselves, whether or not they make up a tree (Equation 3).

        Returns
        -------
        dict
            For each kind of part, ``arc`` among them, rows of words.
        """
        ready = self._ready(Problem.of(scores, self.trees, "max"), None)
        arcs = ready.parts.arcs
        return parts_of_choice(arcs, *choice(ready.automata)(arcs, ready.arc, ready.data, self.trees.single_root))

    def _solve(self, scores: Scores, automata: HeadAutomata | None, traced: int, choices: bool = False) -> Trace:
        deadline = time.monotonic() + self.time_limit
        problem = Problem.of(scores, self.trees, "max")
        ready = self._ready(problem, automata)
        dual, primal, recomputed = np.empty(traced), np.empty(traced), np.empty(traced, np.int64)
        start = Multipliers(np.zeros(len(ready.arc)), np.zeros(len(ready.arc)))
        rows = traced if choices else 0
        trees, chosen = np.empty((rows, ready.parts.n + 1), np.int32), np.empty((rows, len(ready.arc)), np.bool_)
        history = History(dual, primal, recomputed, trees, chosen, np.zeros(len(ready.arc) + 1, np.int64))
        search, probe, arc = functools.partial(self._search, ready), functools.partial(self._probe, ready), ready.arc
        tiny = STALL if self.tighten else TINY
        whole = search(arc, start, -np.inf, self.max_iterations, tiny, history, self.steps == "aimed")
        if self.tighten:
            whole, arc = tighten(search, probe, ready.parts.arcs, arc, whole, self.max_iterations, deadline, history)
        found, proof = whole, _PROOFS.get(whole.ending, "")
        if whole.ending == OPEN and (self.exact or whole.primal == -np.inf):
            found = branching.split(search, ready.parts.arcs, arc, whole, self.max_nodes, deadline)
            proof = "" if found.ending == OPEN else "branching"
        if found.primal == -np.inf:
            if found.ending == OPEN:
                raise ValueError("no tree was found, though one may be possible: raise max_nodes or time_limit")
            raise problem.has_no_tree()
        parse = Parse(
            found.heads,
            best_labels(scores, found.heads),
            found.primal,
            certificate=bool(proof),
            gap=0.0 if proof else max(0.0, found.bound - found.primal),
            iterations=found.iterations,
        )
        happened = slice(whole.iterations)
        bounds = dual[happened], primal[happened], recomputed[happened]
        return Trace(parse, proof, *bounds, trees[happened], chosen[happened], ready.parts.arc)

    def _search(
        self,
        ready: _Ready,
        arc: Floats,
        multipliers: Multipliers,
        floor: float,
        limit: int,
        tiny: float = TINY,
        history: History | None = None,
        aimed: bool = True,
    ) -> Outcome:
        """Search once: see `treewright.inference.dual.subgradient.search`."""
        if history is None:
            unrecorded = _NOTHING, _NOTHING, _NO_NUMBERS, _NO_TREES, _NO_CHOICES
            history = History(*unrecorded, np.zeros(len(arc) + 1, np.int64))
        heads = np.full(ready.parts.n + 1, -1, np.int32)
        run = subgradient.search(ready.automata, self.trees.projective)
        how = self.trees.single_root, self.gamma, aimed, tiny, limit, floor
        ended = run(ready.parts.arcs, arc, ready.data, *how, multipliers, history, heads)
        doubts = np.minimum(history.uses[:-1], history.uses[-1] - history.uses[:-1])
        return Outcome(heads, *ended, multipliers, doubts)

    def _probe(self, ready: _Ready, arc: Floats, whole: Outcome, arcs: Ints, most: int) -> tuple[Flags, Outcome]:
        """Try configurations: see `treewright.inference.dual.configurations.probe`."""
        heads, run = whole.heads.copy(), probe(ready.automata, self.trees.projective)
        how = self.trees.single_root, self.gamma, whole.multipliers, whole.primal
        left, primal = run(ready.parts.arcs, arc, ready.data, *how, heads, arcs, most)
        return left, whole._replace(heads=heads, primal=primal)

    def _ready(self, problem: Problem, automata: HeadAutomata | None) -> _Ready:
        """Put the scores in the order of the arcs, and all that an automaton scores for one transition together."""
        scores, n = problem.scores, len(problem.arc) - 1
        if automata is not None:
            if scores.higher or automata.parts.n != n:
                raise ValueError(
                    f"automata of {automata.parts.n} words are given beside scores of {n} words and of "
                    f"{', '.join(scores.higher) or 'arcs'}: both must be of one sentence, and the scores of arcs only"
                )
            arc = np.take(problem.arc, automata.parts.flat("arc"))
            return _Ready(automata.parts, arc, STATES, automata.data)
        if scores.parts is not None:
            parts = scores.parts
            if parts.projective and not self.trees.projective and scores.higher:
                raise ValueError(
                    "the parts were listed for projective trees, so that others may have no scores: make "
                    "Parts(…, projective=False)"
                )
        else:
            mask = problem.arc > -np.inf
            if n > HARMLESS:
                refuse_too_large(self.trees.factorization, mask)
            parts = all_parts(n) if mask.sum() == n * n else Parts(mask)
        vectors = {name: self._vector(parts, scores, name) for name in scores.higher}
        x = parts.arcs
        last = vectors.get("last", np.zeros(x.list_start[-1]))
        sibling = vectors.get("sibling", _NOTHING)
        arc = np.take(problem.arc, parts.flat("arc"))
        if self.trees.factorization == "sibling":
            return _Ready(parts, arc, BIGRAMS, Bigrams(sibling if len(sibling) else np.zeros(x.pair_start[-1]), last))
        others = (vectors.get(name, _NOTHING) for name in ("grandchild", "grand_sibling"))
        return _Ready(parts, arc, GRAND_BIGRAMS, Bigrams(fold_grand(x, sibling, *others), last))

    def _vector(self, parts: Parts, scores: Scores, name: str) -> Floats:
        """Return the scores of a kind as a vector over the parts."""
        array = scores.higher[name]
        vector = array.astype(np.float64) if scores.parts is not None else taken(array, parts.flat(name))
        if self.trees.projective:
            vector[parts.crossing(name)] = -np.inf
        return vector
