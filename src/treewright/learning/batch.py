"""Batch learning: the one objective of log-linear models, and its minimum by L-BFGS or conjugate gradients.

::

    L(w) = C Σᵢ lossᵢ(w) + ½ ‖w‖²,        lossᵢ(w) = −log P(yᵢ | xᵢ; w)

Parsers, rerankers and hidden-variable models differ only in their losses: what P is a distribution over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from treewright.arrays import Floats, Real
from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.learning.training import Examples, Run

__all__ = ["BatchOptimizer", "Losses", "Objective", "learn_in_batch", "minimize_smooth"]

BatchOptimizer: TypeAlias = Literal["l-bfgs", "cg"]

#: A function of w, a scale and a vector: adds the scale times the gradient of all losses to the vector, and returns
#: the losses, of single examples in order or summed over several.
Losses: TypeAlias = Callable[[Floats, float, Floats], Iterable[float]]


class Objective:
    """The value and the gradient of L; the first ``unpenalized`` weights are left out of ‖w‖².

    Examples
    --------
    >>> def squares(w, scale, gradient):  # ½ (w − 1)²
    ...     gradient += scale * (w - 1)
    ...     return [float((w - 1) @ (w - 1)) / 2]
    >>> Objective(squares, C=3.0)(np.array([0.0]))
    (1.5, array([-3.]))
    """

    def __init__(self, losses: Losses, C: float, unpenalized: int = 0) -> None:
        if not C > 0:
            raise UsageError(f"a log-linear model needs a positive C, not {C:g}")
        self.losses, self.C, self.unpenalized = losses, C, unpenalized

    def __call__(self, w: Floats, saw: Callable[[float], None] = lambda loss: None) -> tuple[float, Floats]:
        """Compute L(w) and its gradient; ``saw`` is called with each loss."""
        gradient = w.copy()
        gradient[: self.unpenalized] = 0
        value = 0.5 * float(gradient @ gradient)
        for loss in self.losses(w, self.C, gradient):
            value += self.C * loss
            saw(loss)
        return value, gradient


def learn_in_batch(
    objective: Objective,
    problem: Examples,
    run: Run,
    start: Real,
    optimizer: BatchOptimizer,
    tolerance: float,
    unit: float = 1.0,
) -> None:
    """Minimise an objective with one loss for each example; an epoch is an iteration of the optimiser.

    The weights learned have the type of ``start``.  L / ``unit`` is minimised, on which the steps of conjugate
    gradients depend; the optimum is found when the largest entry of its gradient is below ``tolerance``.
    """

    def value_and_gradient(w: Floats) -> tuple[float, Floats]:
        examples = run.examples(problem, shuffled=False)

        def saw(loss: float) -> None:
            next(examples)  # reports progress
            run.saw(loss)

        value, gradient = objective(w, saw)
        next(examples, None)
        gradient /= unit
        return value / unit, gradient

    def finished(w: Floats, value: float) -> None:
        weights = np.empty_like(start)
        weights[:] = w
        run.finish(Weights(weights), {"primal": value * unit})

    solution, value = minimize_smooth(value_and_gradient, start.astype(np.float64), optimizer, tolerance, finished)
    if not run.finished:  # the start is the optimum
        finished(solution, value)


def minimize_smooth(
    value_and_gradient: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    optimizer: BatchOptimizer = "l-bfgs",
    tolerance: float = 1e-4,
    finished: Callable[[Floats, float], None] = lambda x, value: None,
    iterations: int = 1_000_000,
) -> tuple[Floats, float]:
    """Minimise a function until the largest entry of its gradient is below ``tolerance``.

    ``finished`` is called after each iteration, with the point reached and the value there.

    Examples
    --------
    >>> x, value = minimize_smooth(lambda x: (float(x @ x) / 2 - x.sum(), x - 1), np.zeros(3), tolerance=1e-6)
    >>> x.round(4).tolist(), round(value, 4)
    ([1.0, 1.0, 1.0], -1.5)
    """
    from scipy.optimize import OptimizeResult, minimize  # takes a while to import, and most users never learn

    def callback(intermediate_result: OptimizeResult) -> None:  # SciPy asks for this name
        finished(intermediate_result.x, float(intermediate_result.fun))

    options: dict[str, Any] = {"gtol": tolerance, "maxiter": iterations}
    if optimizer == "l-bfgs":
        options |= {"maxcor": 5, "ftol": 0.0, "maxfun": 1_000_000}
    solution = minimize(  # type: ignore[call-overload]
        value_and_gradient,
        start,
        jac=True,
        method={"l-bfgs": "L-BFGS-B", "cg": "CG"}[optimizer],
        callback=callback,
        options=options,
    )
    return solution.x, float(solution.fun)
