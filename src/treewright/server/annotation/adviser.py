"""What a parser says of the sentences of a session: suggestions, kept until something changes, and doubts."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Sequence

from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.server.annotation.doubts import Order, doubt_of
from treewright.server.annotation.state import Annotated
from treewright.server.annotation.suggestions import Suggestion, suggest

__all__ = ["Adviser"]


class Adviser:
    """Suggests trees of sentences that change, by parsers that change.

    Parameters
    ----------
    states : sequence of Annotated
        The sentences as they are now; whoever changes one says so (`changed`).
    lock : lock
        That of the session.
    parser : Parser, optional
        Without one nothing is suggested.
    order : {"doubt", "entropy", "margin", "file"}
        What doubts are measured by.
    columns : collection of str
        Which columns are filled in.
    """

    def __init__(
        self,
        states: Sequence[Annotated],
        lock: threading.RLock,
        parser: Parser | None,
        order: Order,
        columns: Collection[str],
    ) -> None:
        if order != "file" and parser is not None and not parser.has_probabilities:
            raise UsageError("the model has no probabilities to order sentences by: choose --order file")
        self.parser, self.order, self.columns = parser, order, columns
        self._states, self._lock = states, lock
        self._parsers, self._changes = 0, [0] * len(states)
        self._suggested: dict[int, tuple[str, Suggestion]] = {}  # with its version
        self._doubts: dict[int, tuple[int, float]] = {}  # of sentences: by which parser, and how much
        self._next = 0  # the sentence whose doubt is found out next

    def changed(self, index: int) -> None:
        """Hear that a sentence has changed."""
        self._changes[index] += 1
        self._suggested.pop(index, None)
        self._doubts.pop(index, None)

    @property
    def changes(self) -> int:
        """How often sentences have changed."""
        return sum(self._changes)

    def use(self, parser: Parser) -> None:
        """Take another parser from now on."""
        with self._lock:
            self.parser, self._parsers = parser, self._parsers + 1

    def version(self, index: int) -> str:
        """Return what changes whenever what is shown of a sentence does."""
        held = self._suggested.get(index)
        return held[0] if held else f"{index}.{self._changes[index]}.{self._parsers}"

    def suggestion(self, index: int) -> Suggestion:
        """Return the tree around what is known of a sentence.

        It stays the same, even if there is a new parser, until the sentence changes or is asked for anew (`renew`).
        """
        with self._lock:
            if index not in self._suggested:
                state = self._states[index]
                version, found = self.version(index), suggest(self.parser, state, self.columns)
                self._suggested[index] = version, found
                self._doubts[index] = self._parsers, doubt_of(self.order, found, state)
            return self._suggested[index][1]

    def renew(self, index: int) -> None:
        """Forget a suggestion that another parser made."""
        with self._lock:
            held = self._suggested.get(index)
            if held and not held[0].endswith(f".{self._parsers}"):
                del self._suggested[index]

    def score_next(self) -> bool:
        """Find out how doubtful one more sentence is; False if all are known."""
        with self._lock:
            parser, by, count = self.parser, self._parsers, len(self._states)
            if parser is None or self.order == "file":
                return False
            places = (place % count for place in range(self._next, self._next + count))
            index = next((place for place in places if not self.is_known(place)), None)
            if index is None:
                return False
            self._next, state = index + 1, self._states[index]
        value = doubt_of(self.order, suggest(parser, state, self.columns), state)  # without the lock: people come first
        with self._lock:
            if self._states[index] is state:
                self._doubts[index] = by, value
        return True

    def is_known(self, index: int) -> bool:
        """Return whether the doubt about a sentence is known, or does not matter: it is done, or has no words."""
        state, known = self._states[index], self._doubts.get(index)
        return not len(state.sentence) or state.is_done or (known is not None and known[0] == self._parsers)

    def doubt(self, index: int) -> float | None:
        """Return how doubtful a sentence is, as far as that is known."""
        value = self._doubts.get(index, (0, math.nan))[1]
        return value if math.isfinite(value) else None
