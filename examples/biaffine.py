"""A biaffine parser trained with a second-order tree CRF.

Usage: ``python examples/biaffine.py train.conllu dev.conllu [--epochs 10] [--device cuda]``

A bidirectional LSTM reads embeddings of words and tags.  Biaffine products score arcs and labels (Dozat & Manning
2017), trilinear ones siblings (Zhang, Li & Zhang 2020), and `treewright.torch.TreeDistribution` makes a distribution
over trees of them: training maximizes the likelihood of gold trees, parsing finds the trees with the most heads
expected right.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from treewright.torch import TreeDistribution, nll_loss
from treewright.treebank import Sentence, projectivize, read

UNKNOWN = 0  # the number of what is not in a vocabulary; the root has a word and a tag of its own
ROOT = "<root>"


def vocabulary(columns: Iterator[list[str]], least: int = 1) -> dict[str, int]:
    """Assign numbers from 1 to what occurs often enough."""
    counts = Counter(word for column in columns for word in column)
    return {word: number for number, word in enumerate([ROOT, *(w for w in counts if counts[w] >= least)], start=1)}


class Vocabularies:
    """Words, tags and labels as numbers."""

    def __init__(self, sentences: list[Sentence]) -> None:
        self.words = vocabulary(([form.lower() for form in s.forms] for s in sentences), least=2)
        self.tags = vocabulary(list(s.upos) for s in sentences)
        self.labels = sorted({label for s in sentences for label in s.deprels})

    def batch(self, sentences: list[Sentence], device: str) -> dict[str, Tensor]:
        """Put sentences into tensors, the root in front."""
        numbers = {label: number for number, label in enumerate(self.labels)}
        rows: dict[str, list[list[int]]] = {"words": [], "tags": [], "heads": [], "labels": []}
        for s in sentences:
            rows["words"].append([self.words.get(w.lower(), UNKNOWN) for w in (ROOT, *s.forms)])
            rows["tags"].append([self.tags.get(tag, UNKNOWN) for tag in (ROOT, *s.upos)])
            rows["heads"].append(s.rooted_heads().tolist())
            rows["labels"].append([-1, *(numbers.get(label, -1) for label in s.deprels)])
        tensors = {
            name: pad_sequence([torch.tensor(row) for row in values], batch_first=True, padding_value=-1)
            for name, values in rows.items()
        }
        tensors["lengths"] = torch.tensor([len(s) for s in sentences])
        return {name: tensor.to(device) for name, tensor in tensors.items()}


class Parser(nn.Module):
    """Score arcs, labels and siblings."""

    def __init__(self, words: int, tags: int, labels: int, size: int = 200, width: int = 64) -> None:
        super().__init__()
        self.words, self.tags = nn.Embedding(words + 1, 100), nn.Embedding(tags + 1, 32)
        self.encoder = nn.LSTM(132, size, num_layers=2, batch_first=True, bidirectional=True, dropout=0.33)
        names = ("head", "modifier", "label_head", "label_modifier", "s_head", "s_inner", "s_modifier")
        self.roles = nn.ModuleDict({name: nn.Sequential(nn.Linear(2 * size, width), nn.ReLU()) for name in names})
        self.arc = nn.Parameter(torch.zeros(width + 1, width))
        self.label = nn.Parameter(torch.zeros(labels, width + 1, width + 1))
        self.sibling = nn.Parameter(torch.randn(3, width, width) * width**-0.5)
        self.dropout = nn.Dropout(0.33)

    def forward(self, batch: dict[str, Tensor]) -> TreeDistribution:
        """Return the distribution over the trees of each sentence."""
        lengths, words = batch["lengths"].cpu() + 1, batch["words"].clamp(min=0)
        inputs = self.dropout(torch.cat([self.words(words), self.tags(batch["tags"].clamp(min=0))], -1))
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        role = {name: self.dropout(layer(states)) for name, layer in self.roles.items()}
        arc = with_one(role["head"]) @ self.arc @ role["modifier"].mT
        label = torch.einsum(
            "bhi,lij,bmj->bhml", with_one(role["label_head"]), self.label, with_one(role["label_modifier"])
        )
        h, s, m = (
            role[name] @ one for name, one in zip(("s_head", "s_inner", "s_modifier"), self.sibling, strict=True)
        )
        sibling = torch.einsum("bhi,bsi,bmi->bhsm", h, s, m) / h.shape[-1]
        return TreeDistribution(arc, label, sibling, lengths=batch["lengths"], factorization="sibling")


def with_one(tensor: Tensor) -> Tensor:
    """Append a 1 to each vector: a bias."""
    return torch.cat([tensor, torch.ones_like(tensor[..., :1])], -1)


def batches(sentences: list[Sentence], words: int = 1000) -> Iterator[list[Sentence]]:
    """Put sentences of similar length together, in random order."""
    ordered = sorted(sentences, key=len)
    groups: list[list[Sentence]] = [[]]
    for sentence in ordered:
        if groups[-1] and (len(groups[-1]) + 1) * len(sentence) > words:
            groups.append([])
        groups[-1].append(sentence)
    yield from (groups[k] for k in torch.randperm(len(groups)).tolist())


@torch.no_grad()
def evaluate(parser: Parser, vocabularies: Vocabularies, sentences: list[Sentence], device: str) -> tuple[float, float]:
    """Compute the percentages of right heads, and of right heads with right labels."""
    parser.eval()
    heads = labels = total = 0
    for some in batches(sentences):
        batch = vocabularies.batch(some, device)
        trees = parser(batch)
        found = trees.mbr()
        is_word = torch.arange(found.shape[1], device=device) <= batch["lengths"][:, None]
        right = (found == batch["heads"]) & is_word & (found >= 0)
        heads += int(right.sum())
        labels += int((right & (trees.best_labels(found) == batch["labels"])).sum())
        total += sum(map(len, some))
    return 100 * heads / total, 100 * labels / total


def train(train_path: str, dev_path: str, epochs: int, device: str, rate: float = 2e-3) -> tuple[float, float]:
    """Train a parser, and print how good it is after each epoch."""
    sentences = [s.replace(heads=projectivize(s.heads)) for s in read(train_path)]
    dev = list(read(dev_path))
    vocabularies = Vocabularies(sentences)
    parser = Parser(len(vocabularies.words), len(vocabularies.tags), len(vocabularies.labels)).to(device)
    optimizer = torch.optim.Adam(parser.parameters(), lr=rate, betas=(0.9, 0.95))
    scores = (0.0, 0.0)
    for epoch in range(1, epochs + 1):
        start, seen, total = time.perf_counter(), 0, 0.0
        for some in batches(sentences):
            parser.train()
            batch = vocabularies.batch(some, device)
            loss = nll_loss(parser(batch), batch["heads"], batch["labels"], reduction="sum") / len(some)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parser.parameters(), 5.0)
            optimizer.step()
            seen, total = seen + len(some), total + float(loss.detach()) * len(some)
            print(f"\repoch {epoch}: {seen}/{len(sentences)} sentences, loss {total / seen:.3f}", end="", flush=True)
        scores = evaluate(parser, vocabularies, dev, device)
        print(f"; dev UAS {scores[0]:.2f}, LAS {scores[1]:.2f}; {time.perf_counter() - start:.0f} s", flush=True)
    return scores


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train")
    options.add_argument("dev")
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = options.parse_args()
    train(given.train, given.dev, given.epochs, given.device)
