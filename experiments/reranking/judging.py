"""How good the chosen candidates are: brackets as in the articles, or heads and relations."""

from __future__ import annotations

import numpy as np

from treewright.evaluation import evaluate_brackets
from treewright.reranking import evaluate_choices
from treewright.treebank import read_string, read_trees_string


def judge(candidates, corpus, chosen) -> dict:
    """Judge choices on dev; what is right in each sentence is kept for the sign test."""
    texts = [candidates.ids[int(place)] for place in chosen]
    report = evaluate_choices(candidates, chosen)
    scores = judge_brackets(corpus.dev, texts) if corpus.is_bracketed else judge_arcs(corpus.dev, texts)
    return {
        **scores,
        "changed": report.changed,
        "scores": np.round(candidates.score[chosen], 6).tolist(),
    }


def judge_brackets(gold, texts) -> dict:
    """Give labelled precision, recall and crossing brackets, of all sentences and of those up to 40 words."""
    evaluation = evaluate_brackets(gold, [read_trees_string(text, spaces="keep")[0] for text in texts])
    found = {}
    for prefix, scores in (("", evaluation.all), ("≤ 40 ", evaluation.up_to_40)):
        found |= {
            f"{prefix}LR": scores.brackets.recall,
            f"{prefix}LP": scores.brackets.precision,
            f"{prefix}F1": scores.brackets.f1,
            f"{prefix}CBs": scores.average_crossing,
            f"{prefix}0 CBs": scores.no_crossing.f1,
            f"{prefix}2 CBs": scores.few_crossing.f1,
        }
    return found | {"exact": evaluation.all.exact.f1, "≤ 40 sentences": evaluation.up_to_40.sentences}


def judge_arcs(gold, texts) -> dict:
    """Give the percentages of right heads, and of right heads with the right relation; all words count."""
    heads = arcs = 0
    for tree, text in zip(gold, texts, strict=True):
        found = read_string(text + "\n")[0]
        right = found.heads == tree.heads
        heads += int(right.sum())
        arcs += sum(a == b for a, b, ok in zip(found.deprels, tree.deprels, right, strict=True) if ok)
    words = sum(map(len, gold))
    return {"UAS": 100 * heads / words, "LAS": 100 * arcs / words}
