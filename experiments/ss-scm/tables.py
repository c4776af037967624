"""The tables and the figure, next to the numbers of the paper."""

from __future__ import annotations

from typing import NamedTuple

import common

SCM, SS_SCM = "Supervised SCM (1od)", "SS-SCM (1od)"
MIRA, TWO_STAGE = "Supervised MIRA (2od)", "2-stage SS-SCM + MIRA (2od)"
#: Table 3a of the paper: sentences (all: 0) → baseline and CL.
PAPER = {
    2000: {SCM: (87.02, 88.05), SS_SCM: (88.07, 89.55), MIRA: (89.20, 90.06), TWO_STAGE: (90.03, 90.90)},
    0: {SCM: (91.21, 92.53), SS_SCM: (91.72, 93.01), MIRA: (93.02, 93.54), TWO_STAGE: (93.45, 94.13)},
}
PAPER_3 = PAPER[2000]
#: What each semi-supervised system is compared with.
SUPERVISED = {SS_SCM: SCM, TWO_STAGE: MIRA}
FEATURES = ("baseline", "CL")


class Row(NamedTuple):
    """What a parser is trained on, and how; without raw text and clusters there are no tokens."""

    corpus: str
    size: int
    clusters: bool
    system: str
    tokens: int
    bits: int

    @classmethod
    def of(cls, place, system, tokens, bits):
        """Make a row of treebank, sentences and clusters, a system, and raw text; what does not matter is 0."""
        is_raw = system in SUPERVISED
        return cls(*place, system, tokens if is_raw or place[-1] else 0, bits if is_raw else 0)


def tokens_of(millions):
    return round(1e6 * millions)


class Results:
    """The rows that there are; with the most raw text and the largest tables of counts, if nothing is said of them."""

    def __init__(self, found, corpora, options):
        self.found, self.corpora, self.options = found, corpora, options
        self.texts = [tokens_of(number) for number in sorted(options.texts)]

    def of(self, place, system, tokens=None, bits=None):
        return self.found.get(Row.of(place, system, tokens or self.texts[-1], bits or max(self.options.bits)))

    def score(self, *key):
        value = self.of(*key)
        return None if value is None else value["score"]

    def columns(self):
        """List treebanks, sentences and features of which there is anything."""
        return sorted({row[:3] for row in self.found}, key=lambda place: (place[1] == 0, place[1], place[0], place[2]))

    def title(self, place):
        corpus, size, clusters = place
        return f"{corpus} {f'{size:,}' if size else 'all'} {FEATURES[clusters]}"


def table_of_treebanks(results):
    rows = []
    for corpus, size in dict.fromkeys(place[:2] for place in results.columns()):
        gold = results.corpora[corpus].gold(size)
        rows.append(
            {
                "": corpus,
                "treebank": f"`{gold.name}`",
                "training sentences": len(gold.train),
                "words": gold.words,
                "validation sentences": len(gold.validation),
                "dev sentences": len(gold.dev),
            }
        )
    return rows


def table_3(results):
    rows = []
    for system in PAPER_3:
        rows.append(row_3(system, results, lambda place, system=system: results.score(place, system), system))
        if system in SUPERVISED:
            other = SUPERVISED[system]
            gains = lambda place, pair=(system, other): difference(results, place, *pair)  # noqa: E731
            rows.append(row_3("gain", results, gains, system, other))
    return rows


def row_3(title, results, value_of, system, other=None):
    """Write a row: what is measured, then the paper's numbers (or their gains)."""
    here = {results.title(place): value_of(place) for place in results.columns()}
    paper = {
        f"*paper {size or 'all'} {name}*": numbers[system][index] - (numbers[other][index] if other else 0)
        for size, numbers in PAPER.items()
        for index, name in enumerate(FEATURES)
    }
    return {"": title, **here, **paper}


def difference(results, place, system, other):
    a, b = results.score(place, system), results.score(place, other)
    return None if a is None or b is None else a - b


def table_of_signs(results):
    """Compare each system with its supervised one, and with itself without clusters."""
    rows = []
    for place in results.columns():
        paper = PAPER.get(place[1], PAPER_3)
        for system, other in SUPERVISED.items():
            gain = paper[system][place[2]] - paper[other][place[2]]
            rows += signs(results, f"{system} against {other}", (place, system), (place, other), gain)
        if place[2]:
            for system in PAPER_3:
                gain = paper[system][1] - paper[system][0]
                rows += signs(
                    results, f"CL against baseline, {system}", (place, system), ((*place[:2], False), system), gain
                )
    return rows


def signs(results, title, one, other, paper):
    """Compare two rows; nothing, if one of them is not there."""
    a, b = results.of(*one), results.of(*other)
    if a is None or b is None:
        return []
    row = {"treebank": results.title(one[0]), "comparison": title, "gain": a["score"] - b["score"]}
    return [row | common.sign_test(a["correct"], b["correct"]) | {"*paper's gain*": paper}]


def table_of_tokens(results):
    """Show the gain of each amount of raw text and size of tables over none, with clusters of the same text in CL."""
    rows = []
    for place in results.columns():
        for system, other in SUPERVISED.items():
            for bits in sorted(results.options.bits):
                for tokens in results.texts:
                    value, base = results.of(place, system, tokens, bits), results.of(place, other, tokens, bits)
                    if value is not None and base is not None:
                        row = {"treebank": results.title(place), "system": system, "bits": bits}
                        row |= {"raw words": value["raw words"], "without": base["score"], "UAS": value["score"]}
                        row |= {"gain": value["score"] - base["score"]}
                        rows.append(row | common.sign_test(value["correct"], base["correct"]))
    return rows


def table_of_choices(results):
    """Show what was tried, with the scores on the validation slice, and the epochs chosen."""
    return [
        {
            "treebank": results.title(row[:3]),
            "system": row.system,
            "bits": row.bits or "",
            "raw words": value["raw words"],
            "validation": value["tried"],
            "epoch": value["epoch"],
            "CPU seconds of an epoch": value["seconds"],
        }
        for row, value in results.found.items()
    ]


INTRODUCTION = """# SS-SCM: results

Written by `run.py`. UAS, unlabelled; the dev file is the test set; punctuation does not count (for EWT: what is tagged
PUNCT). Predicted tags, of taggers trained on all training sentences. SCM: log-linear models by L-BFGS,
{iterations} iterations at most; MIRA: Carreras' parser, {epochs} epochs at most; a slice of train chooses.
"""


def report(results):
    """Write all tables."""
    sections = {
        "Treebanks": table_of_treebanks,
        "Table 3, next to the paper's columns for 2,000 and all sentences, 43M tokens of raw text": table_3,
        "Sign test over sentences": table_of_signs,
        "Figure 1: by the amount of raw text, against none": table_of_tokens,
        "What C and B were chosen from": table_of_choices,
    }
    lines = [INTRODUCTION.format(iterations=results.options.iterations, epochs=results.options.epochs)]
    for title, table in sections.items():
        rows = table(results)
        if rows:
            lines += [f"## {title}\n", common.markdown(rows), ""]
    return "\n".join(lines)


def draw(results, pyplot):
    """Draw accuracy against raw text, and the gains of Table 3 next to those of the paper."""
    figure, axes = pyplot.subplots(1, 2, figsize=(13, 4.5))
    for number, place in enumerate(results.columns()):
        for system, style in zip(SUPERVISED, ("o-", "s--"), strict=True):
            values = [value for tokens in results.texts if (value := results.of(place, system, tokens))]
            points = [value["raw words"] for value in values], [value["score"] for value in values]
            if values:
                axes[0].plot(*points, style, color=f"C{number}", label=f"{results.title(place)}, {system}")
    axes[0].set(xlabel="tokens of raw text", ylabel="UAS on dev, no punctuation", xscale="log")
    axes[0].set(title="By the amount of raw text (Figure 1)")
    draw_gains(results, axes[1])
    for axis in axes:
        axis.grid(linewidth=0.3)
        axis.legend(fontsize=7)
    return figure


def draw_gains(results, axis):
    shown = {results.title(place): place for place in results.columns()}
    shown |= {f"paper {size or 'all'} {name}": (size, index) for size in PAPER for index, name in enumerate(FEATURES)}
    for number, (system, other) in enumerate(SUPERVISED.items()):
        for index, place in enumerate(shown.values()):
            gain = difference(results, place, system, other) if len(place) == 3 else paper_gain(place, system, other)
            if gain is not None:
                label = system if index == len(shown) - 1 else None
                axis.bar(index + 0.4 * number, gain, 0.4, color=f"C{number}", label=label)
    axis.set_xticks([index + 0.2 for index in range(len(shown))], shown, fontsize=7, rotation=30, ha="right")
    axis.axhline(0, color="black", linewidth=0.5)
    axis.set(title="Gains by raw text (Table 3)", ylabel="points of UAS")


def paper_gain(place, system, other):
    size, index = place
    return PAPER[size][system][index] - PAPER[size][other][index]
