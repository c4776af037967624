"""An annotated file: what has been said about its sentences, what is suggested, and which one comes next.

Everything is behind one lock, and every change is in the journal before it is made here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.files import PathLike
from treewright.server.annotation.actions import changes_of
from treewright.server.annotation.adviser import Adviser
from treewright.server.annotation.document import Document, digest_of
from treewright.server.annotation.doubts import Order
from treewright.server.annotation.inventory import Inventory
from treewright.server.annotation.journal import Entry, Journal
from treewright.server.annotation.state import COLUMNS, Annotated
from treewright.server.annotation.validation import Finding, validate
from treewright.treebank import Sentence

__all__ = ["Session", "StaleError", "journal_of"]


class StaleError(UsageError):
    """Somebody acts on a sentence that is not as they saw it."""


def journal_of(path: PathLike) -> Path:
    """Return where the journal of a file is."""
    return Path(f"{path}.journal")


class Session:
    """A file that is being annotated; made by `Session.open`.

    Parameters
    ----------
    document, journal
        The file, and its open journal, which is replayed.
    parser : Parser, optional
        What suggests trees.
    order : {"doubt", "entropy", "margin", "file"}
        Which sentences come first.
    output : path, optional
        Where to save; the file itself unless given.
    known : Inventory
        Tags, relations and features beside those of the file.

    Examples
    --------
    >>> import shutil, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = shutil.copy("tests/data/nonprojective.conllu", folder.name)
    >>> with Session.open(path) as session:
    ...     session.act({"sentence": 0, "do": "upos", "word": 2, "upos": "PROPN"})
    ...     session.states[0].sentence.upos[1]
    0
    'PROPN'
    >>> with Session.open(path) as session:  # nothing was saved, and nothing is lost
    ...     session.states[0].sentence.upos[1], session.undo(), session.states[0].sentence.upos[1]
    ('PROPN', 0, 'NOUN')
    >>> folder.cleanup()
    """

    def __init__(
        self,
        document: Document,
        journal: Journal,
        parser: Parser | None = None,
        order: Order = "file",
        output: PathLike | None = None,
        known: Inventory | None = None,
    ) -> None:
        self.document, self.journal, self.output = document, journal, output
        self.lock = threading.RLock()
        self.several_roots = any((sentence.heads == 0).sum() > 1 for sentence in document.sentences)
        self.inventory = Inventory.of(document.sentences) | (known or Inventory())
        self.states = [Annotated.of(sentence) for sentence in document.sentences]
        self.adviser = Adviser(self.states, self.lock, parser, order, _columns_of(document.sentences))
        self.on_confirmed: Callable[[], None] = lambda: None  # called after a sentence is done
        self._done: list[Entry] = []
        self._undone: list[Entry] = []
        self._saved = "" if output is not None else document.digest  # of what was written last
        self._compared = -1, False  # after how many changes it was compared with what there is, and whether it is that
        for entry in journal.entries:
            self._replay(entry)

    @classmethod
    def open(cls, path: PathLike, parser: Parser | None = None, **options: Any) -> Session:
        """Open a file with its journal, or begin one."""
        document = Document.open(path)
        journal = Journal.open(document, journal_of(path))
        try:
            return cls(document, journal, parser, **options)
        except BaseException:
            journal.close()
            raise

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal; what has not been saved is in it."""
        self.journal.close()

    # --- actions --------------------------------------------------------------------------------------------------

    def act(self, action: Mapping[str, Any]) -> int:
        """Do what an annotator says (`treewright.server.annotation.actions`), and return the number of the sentence.

        Raises
        ------
        StaleError
            If the action says what it has ``seen``, the version of the sentence, and that has changed since.
        UsageError
            If it cannot be done.
        """
        with self.lock:
            index = self._index(action.get("sentence"))
            seen = action.get("seen")
            if seen is not None and seen != self.adviser.version(index):
                raise StaleError("the sentence is not as it was when you saw it: look again")
            state, tree = self.states[index], self.adviser.suggestion(index).tree
            changes = changes_of(action, state, tree, self.several_roots)
            if not changes:
                return index
            after = state.after(changes)
            if action["do"] == "confirm" and after.is_done:
                self._refuse_errors(after.sentence)
            entry = Entry(action["do"], index, changes)
            self.journal.append(entry)
            self._done.append(entry)
            self._undone.clear()
            self._put(index, after)
        if after.is_done and not state.is_done:
            self.on_confirmed()
        return index

    def undo(self) -> int:
        """Undo the last action, and return the number of its sentence."""
        return self._step("undo", self._done, self._undone)

    def redo(self) -> int:
        """Do again what was undone last, and return the number of its sentence."""
        return self._step("redo", self._undone, self._done)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return bool(self._undone)

    def _step(self, name: str, source: list[Entry], target: list[Entry]) -> int:
        with self.lock:
            if not source:
                raise UsageError(f"there is nothing to {name}")
            self.journal.append(Entry(name))
            return self._move(name, source, target)

    def _move(self, name: str, source: list[Entry], target: list[Entry]) -> int:
        entry = source.pop()
        target.append(entry)
        changes = [change.undone for change in reversed(entry.changes)] if name == "undo" else entry.changes
        self._put(entry.sentence, self.states[entry.sentence].after(changes))
        return entry.sentence

    def _replay(self, entry: Entry) -> None:
        """Do once more what the journal says."""
        if entry.do in ("undo", "redo"):
            pair = (self._done, self._undone) if entry.do == "undo" else (self._undone, self._done)
            if not pair[0]:
                raise UsageError(f"{self.journal.path} has nothing to {entry.do}: move the journal away")
            self._move(entry.do, *pair)
            return
        self._done.append(entry)
        self._undone.clear()
        self._put(entry.sentence, self.states[entry.sentence].after(entry.changes))

    def _put(self, index: int, state: Annotated) -> None:
        self.states[index] = state
        self.adviser.changed(index)

    def _refuse_errors(self, tree: Sentence) -> None:
        errors = [finding.text for finding in self._validated(tree) if finding.level == "error"]
        if errors:
            raise UsageError(f"the sentence cannot be confirmed: {'; '.join(errors)}")

    def _index(self, sentence: Any) -> int:
        if isinstance(sentence, bool) or not isinstance(sentence, int) or not 0 <= sentence < len(self.states):
            raise UsageError(f"sentence is {sentence!r}: it must be a number from 0 to {len(self.states) - 1}")
        return sentence

    # --- what is wrong, and what comes next -----------------------------------------------------------------------

    def findings(self, index: int) -> list[Finding]:
        """Return what is wrong with a sentence, suggestions included."""
        return self._validated(self.adviser.suggestion(index).tree)

    def _validated(self, tree: Sentence) -> list[Finding]:
        found = validate(tree, self.inventory)
        return [one for one in found if not (self.several_roots and one.text.endswith(": one is"))]

    def queue(self, *, done: bool = False) -> list[int]:
        """List the sentences to be annotated, the most doubtful first; or those that are done, as in the file.

        Sentences whose doubt is not known yet come last.
        """
        with self.lock:
            found = [i for i, state in enumerate(self.states) if len(state.sentence) and state.is_done == done]
            if done or self.adviser.order == "file":
                return found
            doubts = {i: self.adviser.doubt(i) for i in found}
            return sorted(found, key=lambda i: (doubts[i] is None, -(doubts[i] or 0.0), i))

    def progress(self) -> dict[str, int]:
        """Count sentences and words, all, done and scored."""
        with self.lock:
            states = [state for state in self.states if len(state.sentence)]
            return {
                "sentences": len(states),
                "done": sum(state.is_done for state in states),
                "words": sum(len(state.sentence) for state in states),
                "arcs": sum(status != "_" for state in states for status in state.status),
                "scored": len(states) - sum(not self.adviser.is_known(i) for i in range(len(self.states))),
            }

    # --- the file -------------------------------------------------------------------------------------------------

    def content(self) -> bytes:
        """Return the file with all changes; lines that nobody has changed are as they were."""
        with self.lock:
            pairs = zip(self.states, self.document.sentences, strict=True)
            changed = {i: state.sentence for i, (state, own) in enumerate(pairs) if _differs(state.sentence, own)}
            return self.document.content(changed)

    def save(self) -> str:
        """Write the file, to where it came from unless there is another output, and return its name."""
        with self.lock:
            content, target = self.content(), str(self.output or self.document.path)
            digest = digest_of(content)
            if self.output is None:
                self.journal.saving(digest)
            self.document.write(content, target)
            self._saved, self._compared = digest, (self.adviser.changes, True)
            return target

    @property
    def is_saved(self) -> bool:
        """Whether the file has all changes."""
        with self.lock:
            changes = self.adviser.changes
            if self._compared[0] != changes:
                self._compared = changes, digest_of(self.content()) == self._saved
            return self._compared[1]


def _columns_of(sentences: Sequence[Sentence]) -> frozenset[str]:
    """Return the columns that are filled in: those that the file has, all where it has no tags; heads in any case."""
    found = {
        column
        for column, name in COLUMNS.items()
        if any(value != "_" for sentence in sentences for value in getattr(sentence, name))
    }
    is_tagged = found & {"upos", "xpos", "lemma", "feats"}
    return frozenset(found | {"head", "deprel"} if is_tagged else COLUMNS)


def _differs(sentence: Sentence, own: Sentence) -> bool:
    return sentence is not own and any(
        list(getattr(sentence, name)) != list(getattr(own, name))
        for name in ("heads", "deprels", "upos", "xpos", "lemmas", "feats")
    )
