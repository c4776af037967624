"""Fit the calibration of a dependency parser again, without training it again and without a dev set.

    python scripts/recalibrate.py en PART.tw --treebank ../shared/data/ud/english-ewt/train.conllu.gz --output en.tw
    python scripts/recalibrate.py en PART.tw --treebank TRAIN --dev DEV --train --output en.tw

PART.tw is the same parser trained on a part of the treebank: with --train it is made first, with the options and the
word clusters of the model; the dev set only chooses the epoch.  Temperatures of heads, relations, whole trees and tags
are fitted on the documents that were set aside, tagged by the tagger of PART.tw, and stored in the model.  Its weights
stay as they are.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

import treewright
from treewright.dependency.calibration import log_product
from treewright.dependency.parser import Parser
from treewright.dependency.run import document_starts
from treewright.dependency.temperatures import calibrate
from treewright.learning.folds import set_aside
from treewright.tagging.calibration import tag_temperatures
from treewright.treebank import Sentence, read


def split(path: Path) -> tuple[list[Sentence], list[Sentence]]:
    """Read a treebank: nine tenths to learn from, and whole documents to fit temperatures on."""
    sentences = [sentence for sentence in read(path) if len(sentence)]
    aside = set_aside(len(sentences), starts=document_starts(sentences))
    others = sorted({*range(len(sentences))} - {*aside})
    return [sentences[number] for number in others], [sentences[number] for number in aside]


def train_part(model: Parser, sentences: list[Sentence], dev: Path) -> Parser:
    """Train a parser as a model was trained, on other sentences."""
    known = {field.name for field in fields(treewright.TrainingOptions)}
    chosen = {name: value for name, value in model.info["options"].items() if name in known and value is not None}
    options = treewright.TrainingOptions(**{**chosen, "calibrate": "none"})
    return treewright.train_parser(sentences, read(dev), options, clusters=model.scorer.features.lexicon.clusters)


def main() -> None:
    """Read the command line, and do it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", help="the name of an embedded model, or a model file")
    arguments.add_argument("part", type=Path, help="the same parser, trained on a part of the treebank")
    arguments.add_argument("--treebank", type=Path, required=True, help="what the model was trained on")
    arguments.add_argument("--dev", type=Path, help="with --train: what chooses the epoch")
    arguments.add_argument("--train", action="store_true", help="train PART.tw first")
    arguments.add_argument("--output", type=Path, required=True, help="where to save the model")
    chosen = arguments.parse_args()
    model, (rest, aside) = Parser.open(chosen.model), split(chosen.treebank)
    if chosen.train:
        train_part(model, rest, chosen.dev).save(chosen.part)
    part = Parser.open(chosen.part)
    tagged, log_tags = aside, list[float]()
    if part.tagger is not None and model.tagger is not None:
        temperatures = tag_temperatures([(part.tagger, sentence) for sentence in aside], threads=0)
        tagger, model.tagger = part.tagger.calibrated(temperatures), model.tagger.calibrated(temperatures)
        tagged = [tagger.tag(sentence) for sentence in aside]
        log_tags = [log_product(tagger.confidence(sentence)["upos"]) for sentence in tagged]
        print({name: round(value, 4) for name, value in temperatures.items()})
    model.calibration = calibrate(part, tagged, log_tags, threads=0)
    print(f"{len(aside)} sentences: {model.calibration}")
    model.save(chosen.output)


if __name__ == "__main__":
    main()
