"""A base parser that tells what it was trained on."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.parsing import Ranked
from treewright.treebank import ConstituentTree

SENTENCES = [(f"word{i}",) * (1 + i % 3) for i in range(10)]
TREES = [ConstituentTree(["S", *["T"] * len(words)], [-1, *[0] * len(words)], words) for words in SENTENCES]


@dataclass(frozen=True)
class Memory:
    """Gives three trees for each sentence, one of them twice; labels name the trees that were learned from."""

    trained: list[tuple[tuple[str, ...], ...]] = field(default_factory=list)
    fails_at: str = ""

    def train(self, trees, on_progress):
        on_progress(0.5)
        self.trained.append(tuple(tree.words for tree in trees))
        return Remembering({tree.words for tree in trees}, self.fails_at)

    def describe(self):
        return "Memory"


@dataclass(frozen=True)
class Remembering:
    seen: set[tuple[str, ...]]
    fails_at: str

    needs_tags = False

    def candidates(self, sentence, k, *, keep_tags):
        words = tuple(sentence.forms)
        if words[0] == self.fails_at:
            raise RuntimeError("the power went off")
        label = "SEEN" if words in self.seen else "NEW"
        parents = [-1, *[0] * len(sentence)]
        labels = [label, label, f"{label}-{len(self.seen)}", "LAST"]
        trees = [ConstituentTree([one, *["T"] * len(words)], parents, words) for one in labels]
        return [Ranked(tree, -1.0 - rank) for rank, tree in enumerate(trees)][:k]
