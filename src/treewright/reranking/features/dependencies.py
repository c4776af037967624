"""Features of dependency trees: those of the flat constituent trees that dependencies imply.

A word and its modifiers form a constituent, labelled with the relation of the word, whose head is the tag of the word:
``obj -> det *NOUN nmod``.  The root is a word before the first.  Trees need not be projective: children are ordered by
their head words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from treewright.errors import UsageError
from treewright.reranking.features.extraction import KINDS, Extractor
from treewright.reranking.features.headed import CLOSED_TAGS, TOP, HeadedTree, Preposition
from treewright.treebank import Sentence

__all__ = ["DependencyTreeFeatures", "flat_tree"]

ROOT = "ROOT"

#: The tags of prepositions.
PREPOSITIONS = frozenset(["ADP", "IN", "TO"])


class DependencyTreeFeatures:
    """Extracts the features of dependency trees.

    Parameters
    ----------
    kinds, closed_tags : iterable of str
        See `Extractor`.

    Examples
    --------
    >>> tree = Sentence.from_forms(["We", "saw", "trees"], upos=["PRON", "VERB", "NOUN"], heads=[2, 0, 2],
    ...                            deprels=["nsubj", "root", "obj"])
    >>> for feature in DependencyTreeFeatures(kinds=["rule", "head-modifier"])(tree):
    ...     print(feature)
    rule TOP -> *ROOT root
    rule nsubj -> *PRON
    rule root -> nsubj *VERB obj
    rule obj -> *NOUN
    head-modifier TOP TOP *ROOT right root/VERB adjacent
    head-modifier TOP root *VERB left nsubj/PRON adjacent
    head-modifier TOP root *VERB right obj/NOUN adjacent
    """

    def __init__(self, kinds: Iterable[str] = KINDS, closed_tags: Iterable[str] = CLOSED_TAGS) -> None:
        self.extractor = Extractor(kinds, closed_tags)

    def __call__(self, tree: Sentence) -> list[str]:
        """List the features of a tree, without repetition."""
        return self.extractor(flat_tree(tree))


def flat_tree(tree: Sentence) -> HeadedTree:
    """Turn words and their modifiers into constituents: nodes 0…n for the root and the words, then their leaves.

    Raises
    ------
    UsageError
        If a word has no head.
    """
    n = len(tree)
    heads = tree.rooted_heads().tolist()
    if min(heads[1:], default=0) < 0:
        raise UsageError("a sentence without heads has no features; parse it first")
    tags = [ROOT, *(tree.xpos if all(tag == "_" for tag in tree.upos) else tree.upos)]
    relations = [TOP, *(tag if name == "_" else name for name, tag in zip(tree.deprels, tags[1:], strict=True))]
    children: list[list[int]] = [[] for _ in range(2 * n + 2)]
    for word, head in enumerate(heads):  # a head gets its modifiers in order, with its leaf among them
        children[word].append(n + 1 + word)
        if word:
            children[head].append(word)
    return HeadedTree(
        labels=relations + tags,
        parents=[*heads, *range(n + 1)],
        children=children,
        head_children=[*range(n + 1, 2 * n + 2), *[-1] * (n + 1)],
        head_words=[*range(n + 1), *range(n + 1)],
        modifiers=[*map(_as_modifier, relations, tags), *tags],
        words=[ROOT, *tree.forms],
        tags=tags,
        prepositions=list(_prepositions(heads, tags, relations, children)),
    )


def _as_modifier(relation: str, tag: str) -> str:
    return tag if relation == tag else f"{relation}/{tag}"


def _prepositions(
    heads: Sequence[int], tags: Sequence[str], relations: Sequence[str], children: Sequence[Sequence[int]]
) -> Iterator[Preposition]:
    """Find prepositions with their objects, which are below them, or above as in Universal Dependencies (``case``)."""
    n = len(heads) - 1
    for word in range(1, n + 1):
        if tags[word] not in PREPOSITIONS:
            continue
        objects = [child for child in children[word] if word < child <= n and relations[child] != "fixed"]
        above = heads[word]
        if above and (relations[word].startswith("case") or (not objects and relations[word] == tags[word])):
            phrase, objects, modified = above, [above], heads[above]
        else:
            phrase, modified = word, above
        for argument in objects:
            yield f"{tags[modified]} {relations[phrase]} {tags[argument]}", modified, word, argument
