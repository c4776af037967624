"""What it brings and what it costs to leave the tags in doubt: ``parse --joint-tags`` on a dev treebank.

    python benchmarks/joint_tags.py [--data ../shared/data] [--model en] [--taggings 1 2 4] [--temperatures U X F]

One tagging is the plain parse.  Times are CPU times of one thread, relative to the plain parse.  The temperatures of
UPOS, XPOS and FEATS are for models whose file has none.
"""

from __future__ import annotations

import time

from dev_treebank import model_and_sentences, options_of

from treewright.evaluation import evaluate


def main() -> None:
    """Print a row for each number of taggings."""
    options = options_of(__doc__)
    options.add_argument("--taggings", type=int, nargs="+", default=[1, 2, 4])
    options.add_argument("--temperatures", type=float, nargs=3)
    chosen = options.parse_args()
    parser, gold = model_and_sentences(chosen)
    if chosen.temperatures:
        parser.tagger = parser.tagger.calibrated(dict(zip(("upos", "xpos", "feats"), chosen.temperatures, strict=True)))
    plain = None
    print("| taggings | UAS | LAS | UPOS | XPOS | sentences with other tags | time |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    tagged = [parser.tagger.tag(sentence) for sentence in gold]
    for count in chosen.taggings:
        how = {"joint_tags": count if count > 1 else 0}
        parser.parse_sentence(gold[0], **how)  # compiles
        start = time.process_time()
        found = [parser.parse_sentence(sentence, **how) for sentence in gold]
        taken = time.process_time() - start
        plain = plain or taken
        changed = sum(
            one.xpos != other.xpos or one.feats != other.feats for one, other in zip(found, tagged, strict=True)
        )
        scores = evaluate(gold, found)
        row = [f"{score.f1:.2f}" for score in (scores.uas, scores.las, scores.upos, scores.xpos)]
        print(f"| {count} | {' | '.join(row)} | {changed} of {len(gold)} | {taken / plain:.1f} |", flush=True)


if __name__ == "__main__":
    main()
