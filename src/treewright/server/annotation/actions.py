"""What an annotator does to a sentence, as the cells that change.

The last word counts: a new head releases the given head that would close a cycle with it, and a new root the old one.
They are suggested anew, around what is known then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from treewright.errors import UsageError
from treewright.server.annotation.state import COLUMNS, Annotated, Change, Column
from treewright.treebank import Sentence

__all__ = ["NAMES", "changes_of"]

#: Longer cells are refused.
LONGEST = 1_000

#: Kinds of characters that are in no cell: controls, lone surrogates, ends of lines and paragraphs.
_UNFIT = ("Cc", "Cs", "Zl", "Zp")


def changes_of(
    action: Mapping[str, Any], state: Annotated, tree: Sentence, several_roots: bool = False
) -> list[Change]:
    """Return what an action changes in a sentence, given the suggested tree around what is known of it.

    The actions are ``head`` (with ``head``, and ``deprel`` if that is said, too), ``deprel``, ``upos``, ``xpos``,
    ``lemma``, ``feats`` (with a value of that name, ``_`` for nothing), ``confirm`` and ``reopen``, each of a ``word``;
    the last two of the whole sentence where there is no word.

    Raises
    ------
    UsageError
        If there is no such action, word, or value.

    Examples
    --------
    >>> state = Annotated.of(Sentence.from_forms(["Go", "on"], heads=[0, 1], deprels=["root", "_"]))
    >>> changes_of({"do": "head", "word": 2, "head": 0}, state, state.sentence)
    [Change(word=2, column='head', before='1', after='0'), Change(word=2, column='status', before='_', after='arc'), \
Change(word=1, column='head', before='0', after='_'), Change(word=1, column='deprel', before='root', after='_')]
    """
    name = action.get("do")
    if not isinstance(name, str) or name not in NAMES:
        raise UsageError(f"there is no action {name!r}: there are {', '.join(NAMES)}")
    word = action.get("word")
    words = range(1, len(state.sentence) + 1)
    if word is not None or name not in ("confirm", "reopen"):
        words = range(_number("word", word, 1, len(state.sentence)), words.stop)[:1]
    changes = [change for each in words for change in NAMES[name](action, state, tree, each)]
    if name in ("head", "deprel"):
        heads = {one.word: int(one.after) for one in changes if one.column == "head" and one.after != "_"}
        for other in _contradicted(state, heads, several_roots):
            changes += _release(state, other)
    return changes


def _set_head(action: Mapping[str, Any], state: Annotated, tree: Sentence, word: int) -> list[Change]:
    """Change a head, and release the given heads that contradict it."""
    head = action.get("head")
    if head is None or head == "_":
        released = state.changed(word, "head", "_") + state.changed(word, "deprel", "_")
        return released + state.changed(word, "status", "_")
    number = _number("head", head, 0, len(state.sentence))
    if number == word:
        raise UsageError(f"word {word} cannot be its own head")
    changes = state.changed(word, "head", str(number))
    relation = action.get("deprel")
    if relation is not None:
        changes += state.changed(word, "deprel", _cell("deprel", relation))
    elif changes and (number == 0) != (state.cell(word, "deprel") == "root"):
        changes += state.changed(word, "deprel", "root" if number == 0 else "_") if _has_arc(state, word) else []
    if state.cell(word, "status") == "_":
        changes += state.changed(word, "status", "arc")
    return changes


def _contradicted(state: Annotated, heads: Mapping[int, int], several_roots: bool) -> list[int]:
    """List the words whose given heads cannot stay if a word gets another head."""
    given, found = state.sentence.heads.tolist(), list[int]()
    for word, head in heads.items():
        if head == 0 and not several_roots:
            found += [other for other, above in enumerate(given, 1) if above == 0 and other != word]
        above = head
        while above > 0:
            if above == word:
                found.append(head)
                break
            above = given[above - 1]
    return found


def _release(state: Annotated, word: int) -> list[Change]:
    changes = state.changed(word, "head", "_") + state.changed(word, "deprel", "_")
    return changes + state.changed(word, "status", "_")


def _has_arc(state: Annotated, word: int) -> bool:
    return state.cell(word, "deprel") != "_"


def _set_cell(action: Mapping[str, Any], state: Annotated, tree: Sentence, word: int) -> list[Change]:
    """Change a relation, a tag, a lemma or features; a relation is that of the arc that is shown, and settles it."""
    column: Column = action["do"]
    value = _cell(column, action.get(column))
    changes = state.changed(word, column, value)
    if column == "deprel" and value != "_":
        head = int(tree.heads[word - 1])
        if head >= 0:
            changes = _set_head({"head": head, "deprel": value}, state, tree, word)
    return changes


def _confirm(action: Mapping[str, Any], state: Annotated, tree: Sentence, word: int) -> list[Change]:
    """Take over all that is suggested for a word."""
    shown = Annotated.of(tree)
    if shown.cell(word, "head") == "_":
        raise UsageError(f"word {word} has no head yet: give it one first")
    changes: list[Change] = []
    for column in COLUMNS:
        value = shown.cell(word, column)  # type: ignore[arg-type]
        changes += state.changed(word, column, value)  # type: ignore[arg-type]
    return changes + state.changed(word, "status", "word")


def _reopen(action: Mapping[str, Any], state: Annotated, tree: Sentence, word: int) -> list[Change]:
    """Let a word count as not looked at; its cells stay."""
    return state.changed(word, "status", "_")


#: The actions by name.
NAMES: Mapping[str, Callable[[Mapping[str, Any], Annotated, Sentence, int], list[Change]]] = {
    "head": _set_head,
    **dict.fromkeys(("deprel", "upos", "xpos", "lemma", "feats"), _set_cell),
    "confirm": _confirm,
    "reopen": _reopen,
}


def _number(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} is {value!r}: it must be a number from {least} to {most}")
    return value


def _cell(column: str, value: Any) -> str:
    """Refuse what cannot be in a cell of CoNLL-U."""
    if not isinstance(value, str):
        raise UsageError(f"{column} is {value!r}: it must be a text, _ for nothing")
    text: str = value.strip() or "_"
    if len(text) > LONGEST or any(unicodedata.category(character) in _UNFIT for character in text):
        raise UsageError(f"{column} must be a line of at most {LONGEST:,} characters without tabs")
    if column != "lemma" and any(character.isspace() for character in text):
        raise UsageError(f"{column} must not have spaces in it")
    return text
