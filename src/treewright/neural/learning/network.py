"""The network in PyTorch: the parameters of `treewright.neural.parameters`, and the scores that they make.

What the run time computes sentence by sentence with NumPy, this computes for padded batches, with gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (as everybody calls it)

from treewright.inference.kinds import PartKind
from treewright.neural.parameters import EPSILON, SLOPE, Shape, encoder_parameters, higher_kinds, parameters, roles
from treewright.neural.settings import NetworkSettings

__all__ = ["Encoder", "Network", "Outputs"]

#: How many rotary positions are kept, at least.
_WAVES = 128


def _add(module: nn.Module, name: str, shape: Shape) -> None:
    """Register a parameter, all zero; a dot in its name leads into a module inside."""
    if "." in name:
        first, rest = name.split(".", 1)
        if first not in module._modules:
            module.add_module(first, nn.Module())
        _add(module.get_submodule(first), rest, shape)
    else:
        module.register_parameter(name, nn.Parameter(torch.zeros(shape)))


class _Layer(nn.Module):
    """Attention, and hidden units with a squared ReLU."""

    norm_attention: Tensor
    qkv: Tensor
    out: Tensor
    norm_forward: Tensor
    up: Tensor
    down: Tensor

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads, self.dropout = heads, 0.0

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, bias: Tensor | None) -> Tensor:
        """Add to vectors, shape (batch, N, d), what attention and hidden units make of them."""
        batch, size, d = x.shape
        qkv = (_norm(x, self.norm_attention) @ self.qkv).view(batch, size, 3, self.heads, d // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = _rotated(q, cos, sin), _rotated(k, cos, sin)
        if bias is None:
            mixed = F.scaled_dot_product_attention(q, k, v)
        else:
            mixed = (q @ k.mT / sqrt(d // self.heads) + bias).softmax(-1).to(v.dtype) @ v
        x = x + self._dropped(mixed.transpose(1, 2).reshape(batch, size, d) @ self.out)
        hidden = (_norm(x, self.norm_forward) @ self.up).relu().square()
        return x + self._dropped(hidden @ self.down)

    def _dropped(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class Encoder(nn.Module):
    """Turns the rows of words into vectors.

    Parameters
    ----------
    settings : NetworkSettings
    rows : int
        The size of the table of words.
    """

    words: Tensor
    norm: Tensor

    def __init__(self, settings: NetworkSettings, rows: int) -> None:
        super().__init__()
        self.settings, self.dropout = settings, 0.0
        self._sent: tuple[Tensor, Tensor] | None = None
        self.layers = nn.ModuleList(_Layer(settings.heads) for _ in range(settings.layers))
        for name, shape in self.shapes(rows).items():
            _add(self, name, shape)
        self._initialise()

    def shapes(self, rows: int) -> dict[str, Shape]:
        """Return the table of parameters."""
        return encoder_parameters(self.settings, rows)

    @torch.no_grad()
    def _initialise(self) -> None:
        """Draw parameters at random, by the default generator; norms are 1, biases and scores begin at 0."""
        for name, one in self.named_parameters():
            last = name.rsplit(".", 1)[-1]
            if last.startswith("norm"):
                one.fill_(1.0)
            elif last == "words" or name.startswith("none."):
                one.normal_(0.0, 0.02 if last == "words" else 1.0)
            elif last in ("qkv", "up", "roles", "tags"):
                one.normal_(0.0, 1 / sqrt(len(one)))
            elif last in ("out", "down"):
                one.normal_(0.0, 1 / sqrt(2 * self.settings.layers * len(one)))

    def set_dropout(self, share: float) -> None:
        """Choose which share of the vectors is dropped in training."""
        self.dropout = share
        for layer in self.layers:
            layer.dropout = share  # type: ignore[assignment]

    def encode(self, rows: Tensor, words: Tensor | None = None) -> Tensor:
        """Return the vectors of words, shape (batch, N, d).

        Parameters
        ----------
        rows : int tensor, shape (batch, N, attributes)
        words : bool tensor, shape (batch, N), optional
            Which places hold a word or the root, not padding; all by default.
        """
        batch, size, attributes = rows.shape
        x = F.embedding_bag(rows.reshape(-1, attributes), self.words, mode="sum").view(batch, size, -1)
        x = F.dropout(_norm(x), self.dropout, self.training)
        cos, sin = self._waves(size, rows.device)
        bias = None
        if words is not None:
            bias = torch.zeros(batch, 1, 1, size, device=rows.device)
            bias.masked_fill_(~words[:, None, None], -1e9)
        for layer in self.layers:
            x = layer(x, cos, sin, bias)
        return _norm(x, self.norm)

    def _waves(self, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return rotary positions, kept on the device: sending them would make a GPU wait in every step."""
        if self._sent is None or self._sent[0].device != device or len(self._sent[0]) < size:
            cos, sin = _waves(max(size, _WAVES), self.settings)
            self._sent = cos.to(device), sin.to(device)
        return self._sent[0][:size], self._sent[1][:size]

    def arrays(self) -> dict[str, Tensor]:
        """Return the parameters by name, on the CPU, in float32."""
        return {name: one.detach().float().cpu() for name, one in self.named_parameters()}

    @torch.no_grad()
    def load(self, given: Mapping[str, Tensor]) -> None:
        """Take over those parameters that are given."""
        for name, one in self.named_parameters():
            if name in given:
                if one.shape != given[name].shape:
                    raise ValueError(f"{name} has shape {tuple(given[name].shape)}, not {tuple(one.shape)}")
                one.copy_(given[name])


@dataclass(frozen=True)
class Outputs:
    """What a network makes of a batch: vectors of roles, and logits of columns, shape (batch, N, values)."""

    roles: dict[str, Tensor]
    columns: dict[str, Tensor]


class Network(Encoder):
    """An encoder with what scores arcs, relations, larger parts and tags."""

    roles: Tensor
    roles_bias: Tensor
    arc: Tensor
    label: Tensor
    tags: Tensor
    tags_bias: Tensor

    def shapes(self, rows: int) -> dict[str, Shape]:
        """Return the table of parameters."""
        return parameters(self.settings, rows)

    def forward(self, rows: Tensor, words: Tensor | None = None) -> Outputs:
        """Encode a batch; see `encode`."""
        x = self.encode(rows, words)
        mapped = F.leaky_relu(x @ self.roles + self.roles_bias, SLOPE)
        mapped = F.dropout(mapped, self.dropout, self.training)
        found = {name: mapped[..., place] for name, place in roles(self.settings).items()}
        columns = {}
        if self.settings.columns:
            hidden = F.gelu(x @ self.tags + self.tags_bias, approximate="tanh")
            hidden = F.dropout(hidden, self.dropout, self.training)
            for name in self.settings.columns:
                columns[name] = (hidden @ getattr(self, name) + getattr(self, f"{name}_bias")).float()
        return Outputs(found, columns)

    def arc_scores(self, outputs: Outputs) -> Tensor:
        """Score all arcs: shape (batch, N, N), heads before modifiers."""
        given = outputs.roles
        scores = given["arc_head"] @ (_with_one(given["arc_dependent"]) @ self.arc).mT
        return scores.float()

    def label_scores(self, outputs: Outputs, heads: Tensor | None = None) -> Tensor:
        """Score all labels of the arcs to given heads, shape (batch, N, L); of all arcs, shape (batch, N, N, L)."""
        dependent = _with_one(outputs.roles["label_dependent"])
        head = _with_one(outputs.roles["label_head"])
        a, labels, b = self.label.shape
        mixed = (dependent @ self.label.reshape(a, -1)).view(*dependent.shape[:2], labels, b)
        if heads is None:
            return torch.einsum("bmlr,bhr->bhml", mixed, head).float()
        own = head.gather(1, heads.clamp(min=0)[..., None].expand(-1, -1, b))
        scores: Tensor = (mixed @ own[..., None])[..., 0].float()
        return scores

    def part_scores(self, outputs: Outputs) -> dict[str, Tensor]:
        """Score all parts beyond arcs, by kind: dense, as `treewright.torch.TreeDistribution` takes them."""
        return {str(kind): self._parts(kind, outputs.roles) for kind in higher_kinds(self.settings)}

    def _parts(self, kind: PartKind, given: Mapping[str, Tensor]) -> Tensor:
        scale = 1 / sqrt(self.settings.rank)
        if kind is PartKind.LAST:
            h = torch.stack([given["last.left"], given["last.right"]], 2)
            s = given["last.s"]
            scores = torch.einsum("bhkr,bsr->bhsk", h, s)
            none = (h * self.get_parameter("none.last")).sum(-1)
            return (_where_equal(scores, none[:, :, None], (1, 2)) * scale).float()
        letters = kind.indices
        vectors = {letter: given[f"{kind}.{letter}"] for letter in letters}
        scores = _products(vectors)
        for letter in letters:
            if letter in "st":  # one that does not exist repeats h
                none = self.get_parameter(f"none.{kind}")
                vectors[letter] = none.expand_as(vectors[letter][:, :1])
                axes = 1 + letters.index("h"), 1 + letters.index(letter)
                scores = _where_equal(scores, _products(vectors), axes)
        return (scores * scale).float()


def _products(vectors: Mapping[str, Tensor]) -> Tensor:
    """Sum over the rank the products of one vector of each role: an axis for each role behind the batch."""
    count = len(vectors)
    spread = []
    for axis, one in enumerate(vectors.values(), 1):
        shape = [len(one), *[1] * count, one.shape[-1]]
        shape[axis] = one.shape[1]
        spread.append(one.reshape(shape))
    head: Tensor = reduce(torch.mul, spread[:-1]).flatten(1, -3)[..., 0, :]  # the last role is a matrix product
    tail = list(vectors.values())[-1]
    sizes = [one.shape[1] for one in vectors.values()]
    return (head @ tail.mT).view(len(tail), *sizes)


def _where_equal(scores: Tensor, others: Tensor, axes: tuple[int, int]) -> Tensor:
    """Replace scores where two indices are equal."""
    size = scores.shape[axes[0]]
    shape = [1] * scores.ndim
    shape[axes[0]] = shape[axes[1]] = size
    equal = torch.eye(size, dtype=torch.bool, device=scores.device).view(shape)
    return torch.where(equal, others, scores)


def _with_one(x: Tensor) -> Tensor:
    return F.pad(x, (0, 1), value=1.0)


def _norm(x: Tensor, weight: Tensor | None = None) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], weight, EPSILON)


def _waves(size: int, settings: NetworkSettings) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of rotary positions, shape (size, half of a head's width)."""
    half = settings.head_width // 2
    speeds = settings.base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(size, dtype=torch.float64)[:, None] * speeds
    return angles.cos().float(), angles.sin().float()


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs (i, i + half) of vectors by angles that grow with the position (Su et al. 2021)."""
    first, second = x.float().chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)
