"""Domains of hidden values (Koo and Collins 2005, section 4.1): the values that each word of a candidate may have.

A domain consists of *groups* of values: the sub-values of one *symbol*.  The paper's domains have one group, except
that supersenses have one for each supersense of the word.  Groups of several kinds can be combined, the "mixed
contents" of its section 7.

============  ==============================================================  =======
kind          symbol                                                          paper
============  ==============================================================  =======
lexical       the word itself (refinement)                                    3
tag           its tag (clustering)                                            5
highest       the highest nonterminal it heads, or its relation (clustering)  5
supersense    each of its WordNet supersenses, or its tag where it has none   3
============  ==============================================================  =======
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.arrays import Ints, Places
from treewright.errors import UsageError
from treewright.reranking.hidden.hashing import Hashes64, hash_text
from treewright.reranking.hidden.observation import Observation
from treewright.reranking.hidden.supersenses import Supersenses

__all__ = ["SIZES", "Domains", "parse_domains"]

#: The kinds of groups, and the number of sub-values of a symbol in the paper.
SIZES = {"lexical": 3, "tag": 5, "highest": 5, "supersense": 3}

#: The maximum number of sub-values of a symbol.
MOST_VALUES = 64


def parse_domains(text: str) -> tuple[tuple[str, int], ...]:
    """Parse the groups of words: kinds joined by ``+``, each with a number of sub-values unless it is the paper's.

    Examples
    --------
    >>> parse_domains("tag")
    (('tag', 5),)
    >>> parse_domains("lexical:3+tag:2")
    (('lexical', 3), ('tag', 2))
    """
    parts = []
    for part in text.split("+"):
        kind, colon, number = part.strip().partition(":")
        size = SIZES.get(kind, 0) if not colon else int(number) if number.isdecimal() else 0
        if kind not in SIZES or not 1 <= size <= MOST_VALUES:
            known = ", ".join(SIZES)
            raise UsageError(
                f"unknown hidden values {part.strip()!r}; choose among {known}, "
                f"with a number of sub-values (1 to {MOST_VALUES}) as in tag:5"
            )
        parts.append((kind, size))
    if len({kind for kind, _ in parts}) < len(parts):
        raise UsageError(f"hidden values {text!r} name a kind twice; name it once, with more values")
    return tuple(parts)


class Domains:
    """Assigns domains to words; domains and symbols are numbered in the order of their first occurrence.

    Parameters
    ----------
    text : str
        See `parse_domains`.
    supersenses : Supersenses, optional
        Required for hidden values of the kind ``supersense``.
    most_senses : int, optional
        The maximum number of supersenses of a word, the most frequent first; by default all, as in the paper.

    Attributes
    ----------
    symbols : list of str
        The name of each symbol; its value *k* is called by the name and *k* + 1.
    """

    def __init__(self, text: str, supersenses: Supersenses | None = None, most_senses: int | None = None) -> None:
        self.supersenses, self._most_senses = supersenses, most_senses
        self._parts = parse_domains(text)
        if supersenses is None and any(kind == "supersense" for kind, _ in self._parts):
            raise UsageError("hidden values of the kind supersense need a table of supersenses; give its path")
        self.symbols: list[str] = []
        self._kinds: list[tuple[str, int]] = []
        self._hashes: list[int] = []
        self._numbers: dict[tuple[str, str, int], int] = {}
        self._members: list[tuple[int, ...]] = []
        self._domains: dict[tuple[int, ...], int] = {}
        self._seen: dict[tuple[str, str, str, str], int] = {}

    def assign(self, observation: Observation) -> Places:
        """Return the number of the domain of each word."""
        columns = zip(observation.forms, observation.tags, observation.highest, observation.lemmas, strict=True)
        found = np.empty(len(observation.forms), np.int32)
        for word, key in enumerate(columns):
            number = self._seen.get(key)
            if number is None:
                number = self._seen[key] = self._domain(*key)
            found[word] = number
        return found

    def _domain(self, form: str, tag: str, highest: str, lemma: str) -> int:
        groups: list[int] = []
        for kind, size in self._parts:
            if kind != "supersense":
                groups.append(self._symbol(kind, {"lexical": form, "tag": tag, "highest": highest}[kind], size))
                continue
            senses = self.supersenses.find(form, tag, lemma)[: self._most_senses] if self.supersenses else ()
            groups += [self._symbol(kind, sense, size) for sense in senses]
            groups += [self._symbol("tag", tag, SIZES["tag"])] if not senses else []
        members = tuple(dict.fromkeys(groups))
        number = self._domains.setdefault(members, len(self._members))
        if number == len(self._members):
            self._members.append(members)
        return number

    def _symbol(self, kind: str, name: str, size: int) -> int:
        number = self._numbers.setdefault((kind, name, size), len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(name)
            self._kinds.append((kind, size))
            self._hashes.append(hash_text(f"{kind} {size} {name}"))
        return number

    def arrays(self, used: Iterable[int] | None = None) -> tuple[Ints, Places, Places, Hashes64]:
        """Return the groups of domains, of all or of those used.

        They are: where the groups of each domain begin; the symbol of each group, its number of values, and its hash.
        """
        members = self._members if used is None else [self._members[number] for number in used]
        starts = np.cumsum([0, *map(len, members)], dtype=np.int64)
        symbols = [symbol for domain in members for symbol in domain]
        sizes = np.array([self._kinds[symbol][1] for symbol in symbols], np.int32)
        hashes = np.array([self._hashes[symbol] for symbol in symbols], np.uint64)
        return starts, np.array(symbols, np.int32), sizes, hashes

    def value_names(self, domain: int) -> list[str]:
        """Name the values of a domain, such as NN1 to NN5."""
        members: Sequence[int] = self._members[domain]
        return [f"{self.symbols[symbol]}{k + 1}" for symbol in members for k in range(self._kinds[symbol][1])]
