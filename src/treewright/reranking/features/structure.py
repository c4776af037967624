"""Features of one rule and the rule above it, labels only (Collins and Koo 2005, section 5.2).

A rule is a constituent and its children, the head marked with a star: ``VP -> PP *VBD NP NP SBAR``.  STOP ends the
modifiers on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from treewright.reranking.features.headed import TOP

__all__ = ["STOP", "pairs", "structural_features"]

STOP = "STOP"


def structural_features(upper: str, children: Sequence[str], head: int, rule: str) -> list[str]:
    """List rules, bigrams and trigrams, alone and with the rule or label above.

    ``upper`` is the rule above, empty at the top; ``children`` are symbols, that of the head, whose index is ``head``,
    without its star.

    Examples
    --------
    >>> for feature in structural_features("S -> NP *VP", ["VBD", "NP"], 0, "VP -> *VBD NP"):
    ...     print(feature)
    rule VP -> *VBD NP
    grandparent-rule S VP -> *VBD NP
    two-level-rule S -> NP *VP / VP -> *VBD NP
    bigram VP right NP STOP
    grandparent-bigram S VP right NP STOP
    two-level-bigram S -> NP *VP / VP right NP STOP
    trigram VP STOP *VBD NP
    trigram VP *VBD NP STOP
    """
    label = rule.partition(" -> ")[0]
    above = upper.partition(" -> ")[0] or TOP
    found = [f"rule {rule}", f"grandparent-rule {above} {rule}"]
    if upper:
        found.append(f"two-level-rule {upper} / {rule}")
    for side, one, two in pairs(children, head):
        found.append(f"bigram {label} {side} {one} {two}")
        found.append(f"grandparent-bigram {above} {label} {side} {one} {two}")
        if upper:
            found.append(f"two-level-bigram {upper} / {label} {side} {one} {two}")
    starred = [STOP, *children[:head], "*" + children[head], *children[head + 1 :], STOP]
    threes = zip(starred, starred[1:], starred[2:], strict=False)
    return [*found, *(f"trigram {label} {one} {two} {three}" for one, two, three in threes)]


def pairs(children: Sequence[str], head: int) -> Iterator[tuple[str, str, str]]:
    """Yield the side and the symbols of neighbouring modifiers, from the head outward, the last with STOP.

    Examples
    --------
    >>> list(pairs(["PP", "VBD", "NP", "SBAR"], 1))
    [('left', 'PP', 'STOP'), ('right', 'NP', 'SBAR'), ('right', 'SBAR', 'STOP')]
    """
    if head:
        for one, two in pairwise([*reversed(children[:head]), STOP]):
            yield "left", one, two
    if head + 1 < len(children):
        for one, two in pairwise([*children[head + 1 :], STOP]):
            yield "right", one, two
