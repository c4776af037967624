"""The parameters of a network: the name and the shape of each, in one table.

The run time, PyTorch, files and counts all go by this table.  Matrices are stored so that y = x W.  A network is

- an *encoder*: the sum of the rows of each word in ``words``, normalised; ``layers`` of attention and of hidden units,
  each normalised before, with rotary positions; a last norm (Vaswani et al. 2017, pre-norm; Su et al. 2021);
- *roles*: one linear map with a leaky ReLU (slope 0.1) to all vectors by which a word takes part in a score.
  Arc: [dependent(m), 1] arc head(h)ᵀ.  Label l: [dependent(m), 1] label[:, l] [head(h), 1]ᵀ (Dozat & Manning 2017).
  Larger parts: the sum over the rank of the product of the vectors of their words, over the root of the rank (a
  low-rank tensor); ``none.KIND`` is the vector of an s or t that does not exist;
- *tags*: one hidden layer with a GELU (in its form with tanh), and a linear map for each column.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import prod

from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.neural.settings import NetworkSettings

__all__ = ["EPSILON", "SLOPE", "Shape", "count_parameters", "encoder_parameters", "higher_kinds", "parameters", "roles"]

Shape = tuple[int, ...]

#: What is added to the mean square that a norm divides by.
EPSILON = 1e-6

#: The slope of the leaky ReLU of roles below zero.
SLOPE = 0.1

#: The roles of the last modifier of a side: the head has a vector for each side.
_LAST = ("left", "right", "s")


def higher_kinds(settings: NetworkSettings) -> tuple[PartKind, ...]:
    """Return the kinds of parts beyond arcs that a network scores."""
    return FACTORIZATIONS[settings.factorization].kinds[1:]


def roles(settings: NetworkSettings) -> dict[str, slice]:
    """Return the columns of each role among all.

    Examples
    --------
    >>> list(roles(NetworkSettings(factorization="sibling", labels=["root"])))[2:]
    ['label_dependent', 'label_head', 'sibling.h', 'sibling.s', 'sibling.m', 'last.left', 'last.right', 'last.s']
    """
    widths = {"arc_dependent": settings.arc, "arc_head": settings.arc}
    if settings.labels:
        widths |= {"label_dependent": settings.label, "label_head": settings.label}
    for kind in higher_kinds(settings):
        words = _LAST if kind is PartKind.LAST else kind.indices
        widths |= {f"{kind}.{word}": settings.rank for word in words}
    places = pairwise(accumulate(widths.values(), initial=0))
    return {name: slice(*place) for name, place in zip(widths, places, strict=True)}


def encoder_parameters(settings: NetworkSettings, rows: int) -> dict[str, Shape]:
    """Return the shapes of the parameters of the encoder; ``rows`` is the size of the table of words."""
    d, hidden = settings.width, settings.forward * settings.width
    shapes: dict[str, Shape] = {"words": (rows, d)}
    for layer in range(settings.layers):
        of_layer: dict[str, Shape] = {
            "norm_attention": (d,),
            "qkv": (d, 3 * d),
            "out": (d, d),
            "norm_forward": (d,),
            "up": (d, hidden),
            "down": (hidden, d),
        }
        shapes |= {f"layers.{layer}.{name}": shape for name, shape in of_layer.items()}
    return shapes | {"norm": (d,)}


def parameters(settings: NetworkSettings, rows: int) -> dict[str, Shape]:
    """Return the shapes of all parameters of a network.

    Examples
    --------
    >>> shapes = parameters(NetworkSettings(labels=["root"], columns={"upos": ["NOUN", "VERB"]}), rows=1000)
    >>> shapes["layers.5.qkv"], shapes["arc"], shapes["label"], shapes["upos"]
    ((256, 768), (501, 500), (101, 1, 101), (256, 2))
    """
    d, t, labels = settings.width, settings.tag_width, len(settings.labels)
    total = max(place.stop for place in roles(settings).values())
    shapes = encoder_parameters(settings, rows)
    shapes |= {"roles": (d, total), "roles_bias": (total,), "arc": (settings.arc + 1, settings.arc)}
    if labels:
        shapes["label"] = (settings.label + 1, labels, settings.label + 1)
    for kind in higher_kinds(settings):
        if "s" in kind.indices:
            shapes[f"none.{kind}"] = (settings.rank,)
    if settings.columns:
        shapes |= {"tags": (d, t), "tags_bias": (t,)}
    for name, values in settings.columns.items():
        shapes |= {name: (t, len(values)), f"{name}_bias": (len(values),)}
    return shapes


def count_parameters(shapes: dict[str, Shape]) -> int:
    """Count the numbers in all parameters."""
    return sum(map(prod, shapes.values()))
