"""How good a network is on a dev set, while it is trained: exact trees, relations, tags and lemmas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from treewright.neural.columns import COLUMNS
from treewright.neural.learning.batches import Batch, Treebank, sorted_batches
from treewright.neural.learning.losses import trees_of
from treewright.neural.learning.network import Network, Outputs
from treewright.neural.words import WordInputs
from treewright.tagging.lemmas.scripts import apply_script
from treewright.treebank import Sentence

__all__ = ["Judge"]

#: How many words, padding included, are judged at a time.
_WORDS = 4000


class Judge:
    """Scores a network on sentences, in percent of words.

    Trees are the best by exact search; relations those of the best label of each arc.

    Parameters
    ----------
    network : Network
    sentences : sequence of Sentence
    inputs : WordInputs
    projective, single_root : bool
    """

    def __init__(
        self,
        network: Network,
        sentences: Sequence[Sentence],
        inputs: WordInputs,
        *,
        projective: bool = True,
        single_root: bool = True,
    ) -> None:
        self._network, self._sentences = network, sentences
        self._space = {"projective": projective, "single_root": single_root}
        device = next(network.parameters()).device
        self._treebank = Treebank(sentences, inputs, network.settings, device)

    @torch.no_grad()
    def __call__(self) -> dict[str, float]:
        """Score the network: LAS first, where it predicts relations."""
        right: dict[str, int] = {}
        for chosen in sorted_batches(self._treebank.lengths, _WORDS):
            batch = self._treebank.batch(chosen)
            for name, count in self._count([self._sentences[number] for number in chosen], batch).items():
                right[name] = right.get(name, 0) + count
        total = int(self._treebank.lengths.sum())
        return {name: round(100 * count / total, 2) for name, count in right.items()}

    def _count(self, sentences: Sequence[Sentence], batch: Batch) -> dict[str, int]:
        device = batch.rows.device
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            outputs: Outputs = self._network(batch.rows, batch.words)
            heads = self._heads(outputs, batch.words)
        right = (heads == batch.heads) & (batch.heads >= 0)
        found = {}
        if self._network.settings.labels:
            labels = self._network.label_scores(outputs, heads).argmax(-1)
            found["LAS"] = int((right & (labels == batch.labels)).sum())
        found["UAS"] = int(right.sum())
        for name, logits in outputs.columns.items():
            if name == "lemma":
                found["LEMMA"] = self._lemmas(sentences, logits.argmax(-1).cpu())
            else:
                same = (logits.argmax(-1) == batch.columns[name]) & (batch.columns[name] >= 0)
                found[COLUMNS[name].upper()] = int(same.sum())
        return found

    def _heads(self, outputs: Outputs, words: Tensor) -> Tensor:
        trees = trees_of(self._network, outputs, words, **self._space)
        on_cpu = trees.replace(
            **{name: one.cpu() for name, one in trees.scores.items()}, lengths=(words.sum(1) - 1).cpu()
        )
        return on_cpu.mode.to(words.device)

    def _lemmas(self, sentences: Sequence[Sentence], chosen: Tensor) -> int:
        scripts, numbers = self._network.settings.columns["lemma"], np.asarray(chosen)
        return sum(
            apply_script(scripts[number], form) == lemma
            for sentence, row in zip(sentences, numbers, strict=True)
            for form, lemma, number in zip(sentence.forms, sentence.lemmas, row[1:].tolist(), strict=False)
        )
