"""Treebanks, and the lists of candidates of their base parsers, which are kept in files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import common
from fingerprint import fingerprint

import treewright
from treewright import TrainingOptions, read
from treewright.constituency.pcfg import PcfgTrainer
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.training import TagTrainer
from treewright.dependency.training import DependencyTrainer
from treewright.execution import Keep
from treewright.reranking import Candidates, CandidatesBuilder, read_candidates, write_candidates
from treewright.reranking.candidates.kinds import Constituents, Dependencies
from treewright.reranking.candidates.listing import list_candidates
from treewright.reranking.candidates.scored_lists import add_lists
from treewright.reranking.features import ConstituentTreeFeatures, DependencyTreeFeatures
from treewright.reranking.hidden import TreeLists
from treewright.treebank import read_trees, simplify


class Source(NamedTuple):
    """What lists are made of: a folder, a title, how many training sentences (0: all), how many chunks, a parser.

    Candidates that no score can tell apart count once, or in an ablation, all of them.
    """

    folder: str
    title: str
    sentences: int
    chunks: int
    base: str
    distinct: str = "scored"


TREEBANKS = {
    "wsj-sample": Source("wsj-sample", "WSJ sample", 0, 10, "pcfg"),
    "ud/english-ewt": Source("ud/english-ewt", "English EWT", 8000, 5, "arc"),
    "craft-const": Source("craft-const", "CRAFT", 8000, 5, "pcfg"),
    "wsj-spines": Source("wsj-sample", "WSJ sample, spines", 0, 10, "spines"),
    "wsj-duplicates": Source("wsj-sample", "WSJ sample, duplicates kept", 0, 10, "pcfg", "trees"),
}
#: Candidates of a sentence at most (27 on average in Collins and Koo 2005).
K = 27
#: In the lists of how many sentences a feature must be to be learned (section 5.2).
CUTOFF = 5
#: Longer sentences are left out of training.
LONGEST = 100
#: Epochs of the dependency parser, and of the parser by spines, which is of second order with this beam.
EPOCHS, SPINE_EPOCHS, SPINE_BEAM = 6, 10, 1e-5
PARTS = ("train", "validation", "dev")


@dataclass(frozen=True, eq=False)
class Corpus:
    """A treebank: what the base parser and the rerankers are trained on, and the dev file."""

    name: str
    train: list[Any]
    dev: list[Any]
    chunks: int

    @property
    def title(self) -> str:
        return TREEBANKS[self.name].title

    @property
    def is_bracketed(self) -> bool:
        return TREEBANKS[self.name].base != "arc"

    @property
    def has_duplicates(self) -> bool:
        return TREEBANKS[self.name].distinct != "scored"

    @property
    def kind(self):
        return Constituents() if self.is_bracketed else Dependencies()

    @property
    def features(self):
        return ConstituentTreeFeatures() if self.is_bracketed else DependencyTreeFeatures()

    @property
    def trainer(self):
        base = TREEBANKS[self.name].base
        if base == "pcfg":
            return PcfgTrainer()
        if base == "spines":
            options = ConstituentOptions(order="second", beam=SPINE_BEAM, epochs=SPINE_EPOCHS, folds=5, threads=1)
            return TagTrainer(options)
        return DependencyTrainer(TrainingOptions(factorization="arc", tags="gold", epochs=EPOCHS, threads=1))

    @property
    def base(self) -> str:
        """Say what the base parser is."""
        told = {
            "arc": f"arc, gold tags, {EPOCHS} epochs",
            "spines": f"spines, second order, beam {SPINE_BEAM:g}, {SPINE_EPOCHS} epochs",
        }
        return told.get(TREEBANKS[self.name].base, "pcfg")

    @cached_property
    def words(self) -> int:
        return sum(map(len, self.train))

    @cached_property
    def settings(self) -> dict:
        """What the lists depend on; the version of the trees themselves is left to the data."""
        return {
            "treewright": treewright.__version__,
            "treebank": self.name,
            "sentences": len(self.train),
            "dev sentences": len(self.dev),
            "base": self.base,
            "k": K,
            "chunks": self.chunks,
            "cutoff": CUTOFF,
            "distinct": TREEBANKS[self.name].distinct,
            "lists": fingerprint(load_corpus, load_material),
        }


def load_corpus(options, name) -> Corpus | None:
    """Read a treebank; None, and a line that says so, if it is not there."""
    source = TREEBANKS[name]
    suffix = "conllu" if source.folder.startswith("ud/") else "mrg"
    paths = [options.data / source.folder / f"{part}.{suffix}.gz" for part in ("train", "dev")]
    if not all(path.exists() for path in paths):
        print(f"{name}: skipped, it is not in {options.data} (option --data)")
        return None
    train, dev = map(_read_sentences if suffix == "conllu" else _read_brackets, paths)
    train = [tree for tree in train if len(tree) <= LONGEST]
    train = common.spread(train, options.sentences or source.sentences)
    return Corpus(name, train, common.spread(dev, options.dev), source.chunks)


def _read_brackets(path):
    return [simple for tree in read_trees(path, spaces="keep") if (simple := simplify(tree)) is not None]


def _read_sentences(path):
    return [sentence for sentence in read(path) if len(sentence)]


@dataclass(frozen=True, eq=False)
class Material:
    """The lists of a corpus: to learn from, to choose numbers of rounds and the like by, and to test on."""

    corpus: Corpus
    train: Candidates
    validation: Candidates
    dev: Candidates

    @cached_property
    def trees(self) -> dict[str, list]:
        """The trees of all lists."""
        return {part: list(TreeLists(getattr(self, part))) for part in PARTS}  # kept, as eight models read them


def load_material(corpus: Corpus, say) -> Material:
    """Open the lists of a corpus, or make them first."""
    folder = common.CACHE / "reranking"
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{digest(corpus.settings)}-{part}.npz" for part in PARTS]
    if not all(path.exists() for path in paths):
        with Keep(folder / f"{digest(corpus.settings)}-chunks") as keep:
            for path, candidates in zip(paths, _make_lists(corpus, keep, say), strict=True):
                write_candidates(path, candidates)
    return Material(corpus, *map(read_candidates, paths))


def digest(settings: dict) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def _make_lists(corpus, keep, say):
    """List the candidates of all parts, with the features of what is learned from (Collins and Koo 2005, 5.1 and 5.2).

    The slice that chooses is parsed like the rest of train, by parsers that have not seen it.
    """
    own = list_candidates(
        corpus.trainer,
        corpus.kind,
        corpus.train,
        k=K,
        chunks=corpus.chunks,
        keep=keep,
        on_progress=lambda share: say("parsing train", 0.02 + 0.75 * share),
    )
    lists = list(own)
    others = list_candidates(
        corpus.trainer,
        corpus.kind,
        corpus.train,
        corpus.dev,
        k=K,
        keep=keep,
        on_progress=lambda share: say("parsing dev", 0.77 + 0.13 * share),
    )
    others = list(others)
    chosen = [index for index in range(len(lists)) if index % common.SLICE == 0]
    rest = [index for index in range(len(lists)) if index % common.SLICE]
    names, distinct = None, TREEBANKS[corpus.name].distinct
    for number, (trees, found, indices) in enumerate(
        ((corpus.train, lists, rest), (corpus.train, lists, chosen), (corpus.dev, others, range(len(others))))
    ):
        say("features", 0.9 + 0.03 * number)
        builder = CandidatesBuilder(names)
        gold, own = ([some[i] for i in indices] for some in (trees, found))
        add_lists(builder, gold, own, corpus.kind, corpus.features, distinct=distinct)
        candidates = builder.build(CUTOFF if names is None else 1)
        names = candidates.names
        yield candidates
