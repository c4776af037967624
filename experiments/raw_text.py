"""What experiments with raw text share: treebanks with predicted tags, word clusters, tagged text; computed once.

There are two raw texts, of 9 and 40 million words.  Where fewer words than the first has are asked for, they are taken
evenly from it; where more, evenly from both.  Hyphens are split as in English EWT (`split_hyphens`).
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import common
import numpy as np
from fingerprint import fingerprint

from treewright import read
from treewright.clustering import Clusters, CorpusReader, brown_clusters
from treewright.evaluation.punctuation import punctuation_mask
from treewright.features import WordClusters
from treewright.files import atomic_output, open_input
from treewright.tagging import Tagger
from treewright.tagging.jackknife import jackknife
from treewright.tagging.training import train_tagger
from treewright.treebank import HeadRules, RawText, Sentence, read_trees, to_dependencies, unescape_brackets, write

#: Clusters, and how often a word is to be seen to be in one.
CLUSTERS, MIN_COUNT = 1000, 2
#: Passes over the training data of taggers.
TAGGER_EPOCHS = 5
#: Training sentences of the WSJ sample.
WSJ_SIZE = 2000
#: Where the raw texts are, and how many tokens they have, hyphens split.
RAW = {"raw/en.txt.xz": 9_000_000, "raw/en-web.txt.xz": 40_000_000}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Gold trees and tags, and the rule that says which words are punctuation."""

    name: str
    title: str
    train: list[Sentence]
    dev: list[Sentence]
    punctuation: str

    @functools.cache  # noqa: B019 (there are two of them, and they stay)
    def gold(self, size: int) -> common.Treebank:
        """Take so many training sentences, all if it is 0."""
        return common.make_treebank(self.name, self.train, self.dev, size)

    @functools.lru_cache(maxsize=2)  # noqa: B019
    def tagged(self, size: int, tagger: str, seed: int) -> common.Treebank:
        """Give the same with tags of taggers that have not seen a sentence: trained on all sentences, or on so many."""
        if tagger == "all":
            train, dev = self._predicted(self.train, self.dev, seed)
            return common.make_treebank(self.name, train, dev, size)
        gold = self.gold(size)
        train, rest = self._predicted(gold.train, gold.validation + gold.dev, seed)
        validation, dev = rest[: len(gold.validation)], rest[len(gold.validation) :]
        return replace(gold, train=train, validation=validation, dev=dev)

    def _predicted(self, train, rest, seed):
        """Tag a training set by jackknifing, and other sentences by a tagger that was trained on it."""
        name = f"{self.name.replace('/', '-')}-{len(train)}-{len(rest)}-{seed}-{fingerprint(Corpus, load_corpora)}"
        path = common.CACHE / f"tagged-{name}.conllu.gz"
        if not path.exists():
            say = _Progress(f"{self.title}: tagging {len(train):,} training sentences")
            kept = {"epochs": TAGGER_EPOCHS, "seed": seed}
            tagger = train_tagger(train, **kept, on_progress=lambda share: say(share / 11))
            jackknifed = jackknife(train, **kept, on_progress=lambda share: say((1 + 10 * share) / 11))
            tagged = [*jackknifed.sentences, *map(tagger.tag, rest)]
            write(tagged, path)
        tagged = [_with_both_tags(sentence) for sentence in read(path)]
        return tagged[: len(train)], tagged[len(train) :]

    def raw_text(self, folder: Path, tokens: int, seed: int) -> Iterator[Sentence]:
        """Tag about so many tokens of raw text; all if it is 0."""
        path = common.CACHE / f"tagged-raw-{self.title}-{tokens}-{seed}-{fingerprint(Corpus, load_corpora)}.conllu.gz"
        if not path.exists():
            tagger = self._tagger(seed)
            write((tagger.tag(sentence) for sentence in RawText([prepare_text(folder, tokens)])), path)
        return map(_with_both_tags, read(path))

    @functools.cache  # noqa: B019
    def _tagger(self, seed: int) -> Tagger:
        """Train a tagger on all training sentences."""
        say = _Progress(f"{self.title}: training a tagger on {len(self.train):,} sentences")
        return train_tagger(self.train, epochs=TAGGER_EPOCHS, seed=seed, on_progress=say)

    def counted(self, sentences: list[Sentence]):
        """Tell which words of gold sentences count: those that are no punctuation."""
        return [~punctuation_mask([sentence], self.punctuation) for sentence in sentences]


def load_corpora(folder: Path) -> dict[str, Corpus]:
    """Read the treebanks, by their titles; say which ones are not there."""
    corpora = {}
    for name, (title, ending, read_file, punctuation) in TREEBANKS.items():
        paths = [folder / name / f"{part}.{ending}.gz" for part in ("train", "dev")]
        if all(path.exists() for path in paths):
            corpora[title] = Corpus(name, title, *map(read_file, paths), punctuation)
        else:
            print(f"{name}: skipped, it is not in {folder} (option --data)")
    if "EWT" not in corpora:
        raise SystemExit("nothing to do: ud/english-ewt is not there")
    return corpora


def _read_dependencies(path):
    """Keep words, tags and trees: no lemmas, no features, as in the paper."""
    return [
        Sentence.from_forms(s.forms, upos=s.upos, xpos=s.xpos, heads=s.heads, deprels=s.deprels)
        for s in read(path)
        if len(s)
    ]


def _read_constituents(path):
    """Convert by the head rules of Yamada and Matsumoto; brackets and quotes become those of the raw text."""
    rules, quotes = HeadRules.load("yamada-matsumoto"), {"``": '"', "''": '"'}
    trees = map(unescape_brackets, read_trees(path))
    converted = (to_dependencies(tree, rules, relations="none") for tree in trees)
    return [
        Sentence.from_forms([quotes.get(form, form) for form in s.forms], xpos=s.xpos, heads=s.heads)
        for s in converted
        if len(s)
    ]


#: Treebank → its title, the ending of its files, how to read them, and which words do not count.
TREEBANKS = {
    "ud/english-ewt": ("EWT", "conllu", _read_dependencies, "ud"),
    "wsj-sample": ("WSJ", "mrg", _read_constituents, "penn"),
}


def _with_both_tags(sentence):
    """Let the only tags of the Penn Treebank be the coarse ones, too."""
    return sentence.replace(upos=sentence.xpos) if all(tag == "_" for tag in sentence.upos) else sentence


@functools.cache
def load_clusters(folder: Path, tokens: int = 0) -> WordClusters:
    """Cluster the words of about so many tokens of raw text (all if it is 0), unless that has been done."""
    path = common.CACHE / f"clusters-{tokens}-{fingerprint(load_clusters)}.paths"
    if not path.exists():
        reader, say = CorpusReader(), _Progress(f"clustering the words of {millions(tokens)} million tokens")
        reader.read(prepare_text(folder, tokens))
        brown_clusters(reader.count(MIN_COUNT), CLUSTERS, say).save(path)
    return WordClusters.of(Clusters.read(path))


def millions(tokens: int) -> str:
    """Write a number of tokens, in millions; that of all texts if it is 0."""
    return f"{(tokens or sum(RAW.values())) / 1e6:g}"


# Raw text


def prepare_text(folder: Path, tokens: int = 0) -> Path:
    """Write about so many tokens of raw text (all if it is 0) to one file, hyphens split, unless that has been done."""
    path = common.CACHE / f"raw-{tokens}-{fingerprint(prepare_text)}.txt.gz"
    if not path.exists():
        with atomic_output(path) as file:
            for line in _lines(folder, tokens):
                words = line.split()
                if "-" in line:
                    words = [piece for word in words for piece in split_hyphens(word)]
                file.write((" ".join(words) + "\n").encode())
    return path


def _lines(folder: Path, tokens: int) -> Iterator[str]:
    """Take lines evenly from the first text, if it has enough, or from both."""
    first = next(iter(RAW))
    texts = [first] if 0 < tokens <= RAW[first] else list(RAW)
    step = max(1.0, sum(RAW[text] for text in texts) / tokens) if tokens else 1.0
    seen, taken = 0, 0
    for text in texts:
        with open_input(folder / text) as file:
            for line in file:
                if seen >= taken * step:
                    taken += 1
                    yield line.decode()
                seen += 1


#: What stays with the word behind its hyphen, and with the word before it, as in English EWT.
_PREFIX = re.compile(
    "agro|ante|anti|arch|be|bi|bio|co|counter|cross|cyber|de|e|eco|ex|extra|hyper|inter|intra|macro|mega|micro|mid|mini|"
    "mis|multi|neo|non|over|pan|para|peri|post|pre|pro|pseudo|psycho|quasi|re|semi|socio|sub|super|trans|tri|ultra|un|"
    "under|uni",
    re.IGNORECASE,
)
_SUFFIX = re.compile("esque|fold|gate|ish|less|most|wise")
_HYPHENATED = re.compile(r"(?:[^\W_]+|(?:[^\W\d_]\.)+)(?:-(?:[^\W_]+|(?:[^\W\d_]\.)+))+")
_NUMBER = re.compile(
    r"(?:1-)?(?:\d{3}-)?\d{3}-\d{4}|\d-\d{4}|\d{5}-\d{4}|\d{4}-\d\d-\d\d|\d\d?-\d\d?-\d{4}"
)  # telephones, codes, dates


def split_hyphens(token: str) -> list[str]:
    """Split a token at its hyphens as English EWT does: *low - cost*, but *non-profit*, *e-mail*, 713-853-3989.

    Addresses, emoticons, dashes and all that is not made of letters and digits stay whole.
    """
    if "-" not in token or not _HYPHENATED.fullmatch(token) or _NUMBER.fullmatch(token):
        return [token]
    pieces = token.split("-")
    if _PREFIX.fullmatch(pieces[0]):
        pieces[:2] = ["-".join(pieces[:2])]
    if len(pieces) > 1 and _SUFFIX.fullmatch(pieces[-1]):
        pieces[-2:] = ["-".join(pieces[-2:])]
    return [part for piece in pieces for part in ("-", piece)][1:]


def count_correct(features, weights, trees, sentences, counted, masks) -> list[int]:
    """Parse sentences, and count the words of each with the right head (and label), those that count."""
    correct = []
    parses = common.parse_all(features, weights, trees, sentences, masks)
    for parse, sentence, words in zip(parses, sentences, counted, strict=True):
        right = parse.heads[1:] == sentence.heads
        if features.labels:
            right &= parse.labels[1:] == features.label_indices(sentence.deprels)[1:]
        correct.append(int(np.count_nonzero(right & words)))
    return correct


def percentage(correct, counted) -> float:
    """Give the percentage of correct words, of those that count."""
    return 100 * sum(correct) / sum(int(words.sum()) for words in counted)


class _Progress:
    """Says now and then how far it is."""

    def __init__(self, title):
        self._title, self._start, self._said = title, time.monotonic(), time.monotonic()
        print(title, flush=True)

    def __call__(self, share):
        now = time.monotonic()
        if share > 0 and now - self._said > common.PAUSE:
            left = (now - self._start) * (1 / share - 1) / 60
            print(f"{self._title}: {100 * share:.0f} % done (about {left:.1f} min left)", flush=True)
            self._said = now
