"""Derivations: a spine for each word, and how the spines are joined (Carreras, Collins and Koo 2008, section 2.1).

A derivation is a pair ⟨E, D⟩.  *E* assigns each word its spine.  *D* has a dependency ⟨h, m, l⟩ for each modifier *m*,
which joins the spine of *m* to a node of the spine of its head *h*.  The label *l* is ⟨POS, A, σh, σm, L⟩: POS is the
position of that node, and A is s-adjunction or r-adjunction.  The rest follows: the two spines from *E*, and L, whether
a modifier nearer to the head on the same side was r-adjoined at POS, from the other dependencies.

*S-adjunction* attaches the modifier to the node; *r-adjunction* first makes a new node above it, with the same label,
and attaches the modifier to the new one.  Later modifiers on the same side and at the same position attach to the
newest node, so that the *height* of a modifier is the number of r-adjunctions at its position up to its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads
from treewright.constituency.spines.spines import SpineTable
from treewright.errors import UsageError
from treewright.treebank import is_projective

__all__ = ["REGULAR", "SISTER", "Derivation", "check_derivation", "modifier_heights"]

#: Kinds of adjunction: s-adjunction and r-adjunction.
SISTER, REGULAR = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """The spine of each word of a sentence, and how it is joined to that of its head, column by column.

    Word *i* of the sentence (counted from 1) is entry ``i - 1`` of every column.

    Attributes
    ----------
    words, tags : sequence of str
    spines : int32 array, shape (n,)
        The number of the spine of each word in a `SpineTable`.
    heads : int32 array, shape (n,)
        The word whose spine it is joined to; 0 for the one word joined to the root.
    positions : int32 array, shape (n,)
        The node of the spine of the head that it is joined to; 0 is the lowest.  The root has one node, at position 0.
    adjunctions : int32 array, shape (n,)
        The kind of adjunction: `SISTER` (0) or `REGULAR` (1).

    Examples
    --------
    >>> from treewright.constituency.spines import extract_derivation
    >>> from treewright.treebank import ConstituentTree
    >>> table = SpineTable()
    >>> tree = ConstituentTree.from_string("(S (VP (VP (VBD ate)) (NP (NN cake))))")
    >>> derivation = extract_derivation(tree, "collins", table)
    >>> [str(table[spine]) for spine in derivation.spines]
    ['S/VP', 'NP']
    >>> derivation.heads.tolist(), derivation.positions.tolist(), derivation.adjunctions.tolist()
    ([0, 1], [0, 0], [0, 1])
    """

    words: Sequence[str]
    tags: Sequence[str]
    spines: Heads
    heads: Heads
    positions: Heads
    adjunctions: Heads

    @classmethod
    def from_lists(
        cls,
        words: Sequence[str],
        tags: Sequence[str],
        *,
        spines: npt.ArrayLike,
        heads: npt.ArrayLike,
        positions: npt.ArrayLike,
        adjunctions: npt.ArrayLike,
    ) -> Derivation:
        """Make a derivation from anything that converts to arrays; it is checked when it is used."""
        columns = (np.array(column, np.int32) for column in (spines, heads, positions, adjunctions))
        return cls(tuple(words), tuple(tags), *columns)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(np.array_equal(one, two) for one, two in pairs)

    __hash__ = None  # type: ignore[assignment]


def modifier_heights(derivation: Derivation) -> Heads:
    """Count for each word the r-adjunctions at its position, on its side of the head, up to its own.

    The flag L of the paper is ``heights > adjunctions``.

    Raises
    ------
    UsageError
        When a word is joined below one that is nearer to the head, so that spines do not nest (footnote 4).
    """
    heads, positions = derivation.heads.tolist(), derivation.positions.tolist()
    adjunctions = derivation.adjunctions.tolist()
    n = len(heads)
    found = [0] * n
    for side in (range(n - 1, -1, -1), range(n)):  # so that the modifiers nearer to a head come first
        is_left = side.step < 0
        last, height = [0] * (n + 1), [0] * (n + 1)  # of each head, on this side
        for word in side:
            head, position = heads[word], positions[word]
            if (word + 1 < head) is not is_left:
                continue
            if position < last[head]:
                joined = f"word {word + 1} is joined to word {head} at position {position}"
                nearer = f"a word nearer to it at position {last[head]}"
                raise _refusal(f"{joined}, but {nearer}; positions must not go down")
            if position > last[head]:
                last[head], height[head] = position, 0
            height[head] += adjunctions[word]
            found[word] = height[head]
    return np.array(found, np.int32)


def check_derivation(derivation: Derivation, table: SpineTable) -> None:
    """Check that a derivation is that of a tree; `modifier_heights` checks the order of positions.

    Raises
    ------
    UsageError
        When it is not, with the reason.
    """
    n = len(derivation.words)
    columns = {name: getattr(derivation, name) for name in ("spines", "heads", "positions", "adjunctions")}
    for name, column in columns.items():
        if column.shape != (n,):
            raise _refusal(f"there are {n} words, but {name} has shape {column.shape}")
    if len(derivation.tags) != n:
        raise _refusal(f"there are {n} words, but {len(derivation.tags)} tags")
    _check_range("has spine", derivation.spines, 0, len(table) - 1, f"the table has {len(table)} spines")
    _check_range("has head", derivation.heads, 0, n, f"there are {n} words")
    _check_range("has adjunction", derivation.adjunctions, 0, 1, "it must be 0 (sister) or 1 (regular)")
    roots = int(np.count_nonzero(derivation.heads == 0))
    if roots != 1:
        raise _refusal(f"{roots} words are joined to the root; there must be exactly one")
    try:
        projective = is_projective(derivation.heads)
    except ValueError as error:
        raise _refusal(str(error)) from None
    if not projective:
        raise _refusal("its dependencies cross; projectivize the heads first")
    _check_positions(derivation, table)


def _check_positions(derivation: Derivation, table: SpineTable) -> None:
    lengths = np.array([1, *(len(table[spine]) for spine in derivation.spines.tolist())])  # the root has one node
    wrong = (derivation.positions < 0) | (derivation.positions >= lengths[derivation.heads])
    if wrong.any():
        word = int(wrong.argmax())
        head, position = int(derivation.heads[word]), int(derivation.positions[word])
        nodes = "1 node" if lengths[head] == 1 else f"{lengths[head]} nodes"
        owner = f"word {head}" if head else "the root"
        raise _refusal(f"word {word + 1} is joined at position {position} to the spine of {owner}, which has {nodes}")
    root = int(derivation.heads.argmin())
    if derivation.adjunctions[root] != SISTER:
        raise _refusal(f"word {root + 1} is r-adjoined to the root; it must be s-adjoined")


def _check_range(verb: str, column: Heads, low: int, high: int, reason: str) -> None:
    wrong = (column < low) | (column > high)
    if wrong.any():
        word = int(wrong.argmax())
        raise _refusal(f"word {word + 1} {verb} {column[word]}; {reason}")


def _refusal(reason: str) -> UsageError:
    return UsageError(f"not a derivation: {reason}")
