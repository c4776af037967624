"""Checkpoints: all that is needed to go on with a training after a break, in one file without pickle.

The random numbers of a step depend on the seed and the number of the step alone, so no generator has a state to keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Array
from treewright.errors import ModelError, UsageError
from treewright.model.base import nest, part
from treewright.model.container import load_model, save_model

__all__ = ["Checkpoint"]


@dataclass
class Checkpoint:
    """How far a training has come.

    Attributes
    ----------
    task : dict
        What is trained, as plain data: training goes on only if it is the same.
    steps : int
        How many steps are done.
    seconds : float
        How long they took.
    parameters, optimizer, best : mapping of tensors
        The parameters now, the state of the optimizer, and the parameters that were best on the dev set, if any.
    history : list of dict
        The scores on the dev set so far.
    """

    task: dict[str, Any]
    steps: int
    seconds: float
    parameters: Mapping[str, Tensor]
    optimizer: Mapping[str, Tensor]
    best: Mapping[str, Tensor] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the checkpoint; an older one is replaced only when the new one is complete."""
        manifest = {
            "kind": "checkpoint",
            "task": self.task,
            "steps": self.steps,
            "seconds": self.seconds,
            "history": self.history,
        }
        arrays: dict[str, Array] = {}
        for name in ("parameters", "optimizer", "best"):
            arrays |= nest(name, {key: one.detach().cpu().numpy() for key, one in getattr(self, name).items()})
        save_model(path, manifest, arrays)

    @classmethod
    def open(cls, path: Path, task: dict[str, Any]) -> Checkpoint:
        """Read a checkpoint, and refuse one of another training."""
        manifest, arrays = load_model(path)
        if manifest.get("kind") != "checkpoint":
            raise ModelError(f"{path}: not a checkpoint; remove it, or choose another output")
        differing = sorted(key for key in task if manifest["task"].get(key) != task[key])
        if differing:
            raise UsageError(
                f"{path} is a checkpoint of another training ({', '.join(differing)} differ): remove it to begin anew"
            )
        tensors = {
            name: {key: torch.from_numpy(np.array(one)) for key, one in part(name, arrays).items()}
            for name in ("parameters", "optimizer", "best")
        }
        return cls(task, manifest["steps"], manifest["seconds"], **tensors, history=manifest["history"])
