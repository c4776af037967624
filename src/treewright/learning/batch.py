"""Batch optimisers of smooth functions: L-BFGS and conjugate gradients, from SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from treewright.arrays import Floats

__all__ = ["BatchOptimizer", "minimize_smooth"]

BatchOptimizer = Literal["l-bfgs", "cg"]


def minimize_smooth(
    value_and_gradient: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    optimizer: BatchOptimizer = "l-bfgs",
    tolerance: float = 1e-4,
    callback: Callable[[Floats], None] | None = None,
    iterations: int = 1_000_000,
) -> Floats:
    """Minimise a function until the largest entry of its gradient is below ``tolerance``.

    Examples
    --------
    >>> minimize_smooth(lambda x: (float(x @ x) / 2 - x.sum(), x - 1), np.zeros(3), tolerance=1e-6).round(4).tolist()
    [1.0, 1.0, 1.0]
    """
    from scipy.optimize import minimize  # takes a while to import, and most users never learn

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
    found: Floats = solution.x
    return found
