"""Random scores as tensors."""

import numpy as np
import torch

from tests.inference.parts import PARTS, shape_of

#: As many words, and the root, as make every kind of part.
SIZE = 4


def random_scores(parts: str, batch: tuple[int, ...] = (2,), labels: int = 0, size: int = SIZE, seed: int = 0):
    """Scores of the parts of a factorization, by name, in float64."""
    generator = torch.Generator().manual_seed(seed)
    shapes = {name: shape_of(name, size - 1) for name in PARTS[parts]}
    if labels:
        shapes["label"] = (size, size, labels)
    return {
        name: torch.randn(*batch, *shape, generator=generator, dtype=torch.float64) for name, shape in shapes.items()
    }


def arrays(tensors, *index) -> dict[str, np.ndarray]:
    """The scores of one sentence, as NumPy has them."""
    return {name: tensor[index].detach().numpy() for name, tensor in tensors.items()}
