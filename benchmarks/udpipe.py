"""Models beside UDPipe 1 (Straka & Straková 2017), trained on the same files with its defaults.

    python benchmarks/udpipe.py ../shared/data --folder udpipe-models lt af

trains UDPipe on the treebanks of embedded models, unless the folder has a model of it from an earlier run, and prints
how good both are on the dev sets: from gold tokens, and from the text, with words aligned.  UDPipe chooses its
tokenizer, tagger and parser by the dev set, too.  Needs ``pip install -e ".[bench]"``.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from treewright import load
from treewright.evaluation import evaluate
from treewright.tokenization import text_of, tokenize
from treewright.treebank import Sentence, format_sentence, read, read_string

COLUMNS = ("upos", "xpos", "feats", "lemmas", "uas", "las")
FROM_TEXT = ("words", "sentences", *COLUMNS, "clas", "mlas", "blex")


def folders() -> dict[str, str]:
    """Return where the treebank of each embedded model is."""
    path = Path(__file__).resolve().parents[1] / "scripts" / "build-models"
    loader = SourceFileLoader("build_models", str(path))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return {name: recipe.folder for name, recipe in module.RECIPES.items()}


def train(folder: Path, output: Path) -> None:
    """Train UDPipe with its defaults."""
    from ufal import udpipe

    error = udpipe.ProcessingError()
    start = time.process_time()
    model = udpipe.Trainer.train(
        "morphodita_parsito", sentences(folder / "train"), sentences(folder / "dev"), "", "", "", error
    )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    output.write_bytes(model)
    print(f"{output}: {time.process_time() - start:,.0f} CPU seconds", file=sys.stderr, flush=True)


def sentences(path: Path):
    """Read a treebank as UDPipe does."""
    from ufal import udpipe

    reader, error, found = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(gzip.decompress(path.with_suffix(".conllu.gz").read_bytes()).decode())
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            return found
        found.append(sentence)


def by_udpipe(model: Path, text: str, source: str) -> list[Sentence]:
    """Tag and parse a text, or CoNLL-U without annotation, by UDPipe."""
    from ufal import udpipe

    loaded = udpipe.Model.load(str(model))  # which the pipeline does not keep alive
    pipeline = udpipe.Pipeline(loaded, source, udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    return list(read_string(pipeline.process(text)))


def bare(sentence: Sentence) -> Sentence:
    """Take away all annotation but words."""
    n = len(sentence)
    empty = {name: ["_"] * n for name in ("lemmas", "upos", "xpos", "feats", "deprels", "deps")}
    return sentence.replace(heads=[-1] * n, **empty)


def scores(gold: list[Sentence], found: list[Sentence], names: tuple[str, ...]) -> list[float]:
    """Score what was found: F1 of aligned words."""
    outcome = evaluate(gold, found)
    return [
        (outcome.segmentation[name] if name in outcome.segmentation else getattr(outcome, name)).f1 for name in names
    ]


def main() -> None:
    """Train, parse and compare."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="the folder of the treebanks")
    arguments.add_argument("names", nargs="+", help="embedded models")
    arguments.add_argument("--folder", type=Path, required=True, help="where models of UDPipe are, or are put")
    given = arguments.parse_intermixed_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(f"| | | {' | '.join((*COLUMNS, *FROM_TEXT))} |\n| --- | --- {'| ---: ' * len(COLUMNS + FROM_TEXT)}|")
    for name in given.names:
        folder, model = given.data / folders()[name], given.folder / f"{name}.udpipe"
        if not model.exists():
            train(folder, model)
        gold, own = [one for one in read(folder / "dev.conllu.gz") if len(one)], load(name)
        text, tokens = text_of(gold), "".join(map(format_sentence, map(bare, gold)))
        rows = {
            "UDPipe 1": (by_udpipe(model, tokens, "conllu"), by_udpipe(model, text, "tokenize")),
            "Treewright": (list(own.parse_all(map(bare, gold))), list(own.parse_all(tokenize(text, own.splitter)))),
        }
        for system, (from_tokens, from_text) in rows.items():
            row = scores(gold, from_tokens, COLUMNS) + scores(gold, from_text, FROM_TEXT)
            print(f"| {name} | {system} | {' | '.join(f'{score:.2f}' for score in row)} |", flush=True)


if __name__ == "__main__":
    main()
