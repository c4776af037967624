"""Give a tokenizer, learned from its treebank, to a parser that was trained before, and note its scores from text.

    python scripts/learn_tokenizer.py old.tw --treebank TRAIN --dev DEV --name en --release 2025-05 --output en.tw
    python scripts/learn_tokenizer.py old.tw --treebank TRAIN --dev DEV --name en-linear --size 11 --output en-linear.tw

With --size the smallest weights are left out, as treewright train does.  All else stays as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.scores import dev_scores, raw_text_scores
from treewright.dependency.training import learn_tokenizer
from treewright.model import slim
from treewright.parsing.progress import Reporter
from treewright.treebank import read


def main() -> None:
    """Read the command line, and do it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", help="the name of an embedded model, or a model file")
    arguments.add_argument("--treebank", type=Path, required=True, help="what the model was trained on")
    arguments.add_argument("--dev", type=Path, required=True)
    arguments.add_argument("--name", required=True, help="the name of the model from now on")
    arguments.add_argument("--release", required=True, help="the release of the treebank")
    arguments.add_argument("--attribution", help="whom to credit, if not as before")
    arguments.add_argument("--size", type=float, help="the most megabytes that the model may have")
    arguments.add_argument("--output", type=Path, required=True, help="where to save the model")
    chosen = arguments.parse_args()
    parser, sentences, dev = Parser.open(chosen.model), list(read(chosen.treebank)), list(read(chosen.dev))
    parser.info |= {"name": chosen.name, "release": chosen.release}
    if chosen.attribution is not None:
        parser.info["attribution"] = chosen.attribution
    parser.tokenizer = learn_tokenizer(sentences, TrainingOptions(), parser.info, Reporter())
    if chosen.size is not None:
        parser = slim(parser, chosen.size)
    parser.info |= {"dev": dev_scores(parser, dev, 0), **raw_text_scores(parser, dev, 0)}
    parser.save(chosen.output)
    print(f"saved {chosen.output}, {chosen.output.stat().st_size / 1e6:.1f} MB: {parser.info}")


if __name__ == "__main__":
    main()
