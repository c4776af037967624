"""Features of a head and one modifier, and of prepositions (Collins and Koo 2005, section 5.2)."""

from __future__ import annotations

from treewright.reranking.features.headed import HeadedTree

__all__ = ["MOST", "modifier_features", "preposition_features"]

#: The longest distance with an upper-bound feature (``<=9``).
MOST = 9


def modifier_features(above: str, label: str, head: str, modifier: str, place: int, distance: int) -> list[str]:
    """List the features of a modifier: its relation to the head, and bins of the distance between their head words.

    ``place`` is the position of the modifier, counted from the head: -1 is next to it on the left; ``distance`` is the
    number of words between the head words.

    Examples
    --------
    >>> found = modifier_features("S", "VP", "VBD", "SBAR", 3, 7)
    >>> found[:3]
    ['head-modifier S VP *VBD right SBAR', 'distance VP *VBD SBAR =7', 'distance VP *VBD SBAR <=7']
    >>> found[3:6], len(found)
    (['distance VP *VBD SBAR <=8', 'distance VP *VBD SBAR <=9', 'distance VP *VBD SBAR >=1'], 12)
    """
    side = "left" if place < 0 else "right"
    adjacent = " adjacent" if abs(place) == 1 else ""
    relation = f"distance {label} *{head} {modifier}"
    return [
        f"head-modifier {above} {label} *{head} {side} {modifier}{adjacent}",
        f"{relation} ={distance}",
        *(f"{relation} <={x}" for x in range(distance, MOST + 1)),
        *(f"{relation} >={x}" for x in range(1, distance + 1)),
    ]


def preposition_features(tree: HeadedTree) -> list[str]:
    """List the prepositional phrases with their words, and again without the word that they modify."""
    words = tree.words
    found = []
    for labels, modified, preposition, argument in tree.prepositions:
        phrase = f"{words[preposition]} {words[argument]}"
        found += [f"pp {labels} {words[modified]} {phrase}", f"pp {labels} {phrase}"]
    return found
