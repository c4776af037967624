"""The tables and the figure, next to the numbers of the paper."""

from __future__ import annotations

import itertools

import common
import numpy as np
from raw_text import WSJ_SIZE, millions

#: Table 3 of the paper, for each tagger: sentences → dep1, dep1c, dep2, dep2c.
PAPER_3 = {
    "all": {
        1000: (84.54, 85.90, 86.29, 87.47),
        2000: (86.20, 87.65, 87.67, 88.88),
        4000: (87.79, 89.15, 89.22, 90.46),
        8000: (88.92, 90.22, 90.62, 91.55),
        16000: (90.00, 91.27, 91.27, 92.39),
        32000: (90.74, 92.18, 92.05, 93.36),
        39832: (90.89, 92.33, 92.42, 93.30),
    },
    "reduced": {
        1000: (80.49, 84.06, 81.95, 85.33),
        2000: (83.47, 86.04, 85.02, 87.54),
        4000: (86.53, 88.39, 87.88, 89.67),
        8000: (88.25, 89.94, 89.71, 91.37),
        16000: (89.66, 91.03, 91.14, 92.22),
        32000: (90.78, 92.12, 92.09, 93.21),
        39832: (90.89, 92.33, 92.42, 93.30),
    },
}
#: Table 2 of the paper, Section 23: dep1, dep1c, dep2, dep2c, and the same labelled.
PAPER_2 = (90.84, 92.23, 92.02, 93.16, 90.32, 91.24, 91.38, 92.14)
#: Table 7 of the paper, in the order of Table 3.
PAPER_7 = {
    100: (89.19, 92.25, 90.61, 93.14),
    200: (90.03, 92.26, 91.35, 93.18),
    400: (90.31, 92.32, 91.72, 93.20),
    800: (90.62, 92.33, 91.89, 93.30),
    1600: (90.87, None, 92.20, None),
    None: (90.89, None, 92.42, None),
}
#: Table 8 of the paper: without tags, with clusters instead, with tags.
PAPER_8 = {"arc": (77.19, 90.69, 90.89), "carreras": (86.73, 91.84, 92.42)}
PAIRS = [("arc", False), ("arc", True), ("carreras", False), ("carreras", True)]


class Results:
    """The cells that there are, by their conditions."""

    def __init__(self, found, corpora, options):
        self.found, self.corpora, self.options = found, corpora, options
        self._condition = type(next(iter(found)))

    def of(self, *place, **more):
        return self.found.get(self._condition(*place, **more).completed(self.options))

    def score(self, *place, **more):
        cell = self.of(*place, **more)
        return None if cell is None else cell["score"]

    def four(self, place, **more):
        """Give the scores of both models, without clusters and with them."""
        return [self.score(*place, *pair, **more) for pair in PAIRS]

    @property
    def main(self):
        return "EWT", self.options.sentences, "all"

    def sentences(self, corpus, size):
        return len(self.corpora[corpus].gold(size).train)

    def curve(self, tagger):
        """Give the scores for each number of training sentences."""
        scores = {}
        for size in sorted(self.options.sizes, key=lambda size: size or np.inf):
            four = self.four(("EWT", size, tagger if size else "all"))
            if any(score is not None for score in four):
                scores[self.sentences("EWT", size)] = four
        return scores


def table_of_treebanks(results):
    """Describe the training sets, and how good their taggers are on dev."""
    rows = {}
    for condition, cell in results.found.items():
        gold = results.corpora[condition.corpus].gold(condition.size)
        if condition.tags:
            rows[condition[:3]] = {
                "treebank": f"`{gold.name}`",
                "training sentences": len(gold.train),
                "words": gold.words,
                "validation sentences": len(gold.validation),
                "dev sentences": len(gold.dev),
                "tagger trained on": condition.tagger,
                "% of tags right": cell["tags right"],
            }
    return list(rows.values())


def table_text(results):
    """Show what clusters of more text gain, with the features of the paper and with ours."""
    rows = {}
    for condition, cell in results.found.items():
        wanted = condition.corpus == "EWT" and condition.tags and not condition.labels and not condition.words
        if wanted and (condition.plain or condition._replace(clusters=False, text=None, plain=True) in results.found):
            kind = "words and tags" if condition.plain else "ours"
            key = (condition.tagger, results.sentences(*condition[:2]), condition.model, kind)
            rows.setdefault(key, {})[condition.text] = cell["score"]
    texts = [round(1e6 * number) for number in results.options.texts]
    table = []
    for (tagger, sentences, model, kind), scores in sorted(rows.items()):
        row = {"tagger on": tagger, "sentences": sentences, "model": model, "features": kind, "none": scores.get(None)}
        row |= {f"{millions(text)} M": scores.get(text) for text in texts}
        row |= {f"gain {millions(text)} M": gain(scores.get(text), scores.get(None)) for text in texts}
        paper = PAPER_3[tagger].get(sentences) or PAPER_3[tagger][39832]
        first = 0 if model == "arc" else 2
        table.append(row | {"*paper: gain, 43 M*": paper[first + 1] - paper[first]})
    return table


def table_3(results):
    rows = []
    for tagger in PAPER_3:
        for sentences, four in results.curve(tagger).items():
            rows.append(row_3(tagger, "EWT", sentences, four))
        wsj = results.four(("WSJ", WSJ_SIZE, tagger))
        if any(score is not None for score in wsj):
            rows.append(row_3(tagger, "**WSJ sample**", WSJ_SIZE, wsj))
        for sentences, four in PAPER_3[tagger].items():
            rows.append(row_3(tagger, "*paper: WSJ*", sentences, four))
    return rows


def row_3(tagger, treebank, sentences, four):
    return {"tagger on": tagger, "treebank": treebank, "sentences": sentences, **with_gains(four)}


def with_gains(four, suffix=""):
    arc, arc_c, carreras, carreras_c = four
    return {
        f"arc{suffix}": arc,
        f"+ clusters{suffix}": arc_c,
        f"gain{suffix}": gain(arc_c, arc),
        f"carreras{suffix}": carreras,
        f"+ clusters {suffix}": carreras_c,
        f"gain {suffix}": gain(carreras_c, carreras),
    }


def gain(a, b):
    return None if a is None or b is None else a - b


def table_saved(results):
    """Tell how many sentences a parser without clusters needs to be as good as one with them."""
    rows = []
    for tagger in PAPER_3:
        for treebank, curve in (("EWT", results.curve(tagger)), ("*paper: WSJ*", PAPER_3[tagger])):
            for sentences in list(curve)[:-1]:
                row = {"tagger on": tagger, "treebank": treebank, "sentences": sentences}
                for model, (without, with_clusters) in {"arc": (0, 1), "carreras": (2, 3)}.items():
                    needed = sentences_needed(curve, without, curve[sentences][with_clusters])
                    row[model] = needed
                    row[f"{model}: times"] = None if needed is None else needed / sentences
                rows.append(row)
    return rows


def sentences_needed(curve, column, score):
    """Read off a learning curve how many sentences give a score, lines between points of log size; None beyond it."""
    points = [(size, four[column]) for size, four in curve.items() if four[column] is not None]
    if score is None:
        return None
    for (size_a, a), (size_b, b) in itertools.pairwise(points):
        if a <= score <= b:
            share = (score - a) / (b - a)
            return round(float(np.exp((1 - share) * np.log(size_a) + share * np.log(size_b))))
    return None


def table_2(results):
    rows = []
    for title, place in (
        (f"EWT, {results.sentences(*results.main[:2]):,} sentences", results.main),
        (f"WSJ sample, {WSJ_SIZE:,} sentences", ("WSJ", WSJ_SIZE, "all")),
    ):
        scores = [*results.four(place), *results.four(place, labels=True)]
        if any(score is not None for score in scores):
            rows.append({"dev": title, **with_gains(scores[:4]), **with_gains(scores[4:], " L")})
    paper = {"dev": "*paper: Section 23, 39,832 sentences*", **with_gains(PAPER_2[:4]), **with_gains(PAPER_2[4:], " L")}
    return [*rows, paper]


def table_7(results):
    rows = []
    for words, paper in PAPER_7.items():
        row = {"words": "all" if words is None else f"{words:,}", **with_gains(results.four(results.main, words=words))}
        names = ("*paper: dep1*", "*dep1c*", "*dep2*", "*dep2c*")
        rows.append(row | dict(zip(names, paper, strict=True)))
    return rows


def table_8(results):
    rows = []
    for model, paper in PAPER_8.items():
        asked = [(False, {"tags": False}), (True, {"tags": False}), (False, {}), (True, {})]
        scores = [results.score(*results.main, model, clusters, **more) for clusters, more in asked]
        names = ("neither", "clusters, no tags", "tags, no clusters", "tags and clusters")
        rows.append({"treebank": "EWT", "model": model, **dict(zip(names, scores, strict=True))})
        rows.append({"treebank": "*paper: WSJ*", "model": model, **dict(zip(names, paper, strict=False))})
    return rows


def table_of_signs(results):
    """Compare with and without clusters, wherever there are both."""
    rows = []
    for condition, cell in results.found.items():
        other = results.found.get(condition._replace(clusters=False, text=None))
        if condition.clusters and other is not None:
            test = common.sign_test(cell["correct"], other["correct"])
            rows.append(described(results, condition) | {"gain": cell["score"] - other["score"], **test})
    return rows


def described(results, condition):
    words = f"{condition.words:,} words" if condition.words else ""
    extras = [words, "" if condition.tags else "no tags", "labelled" if condition.labels else ""]
    extras += ["words and tags only" if condition.plain else ""]
    return {
        "treebank": condition.corpus,
        "sentences": results.sentences(condition.corpus, condition.size),
        "tagger on": condition.tagger if condition.tags else "",
        "model": ", ".join(filter(None, [condition.model, *extras])),
        "million words": millions(condition.text),
    }


INTRODUCTION = """# Word clusters: results

Written by `run.py`. The dev file is the test set; punctuation does not count, as in the paper (for EWT: what is tagged
PUNCT). UAS, and LAS in the columns with an L. Averaged perceptron, {epochs} epochs at most, chosen on a slice of train;
features seen once are not learned; predicted tags. Tables 2, 7 and 8 with {sentences:,} training sentences.
"""


def report(results):
    """Write all tables."""
    tables = {
        "text": ("Text and features: UAS by the words that clusters are made of", table_text),
        "3": ("Table 3: learning curves", table_3),
        "3, saved": ("Sentences that a parser without clusters needs to be as good as one with them", table_saved),
        "8": ("Table 8: without tags", table_8),
        "7": ("Table 7: features of the most frequent words only", table_7),
        "2": ("Table 2: unlabelled and labelled (L)", table_2),
    }
    sections = [
        ("Treebanks and taggers", table_of_treebanks),
        *(tables[name] for name in tables if name.partition(",")[0] in results.options.tables),
        ("Sign test over sentences: with clusters against without", table_of_signs),
    ]
    epochs, sentences = results.options.epochs, results.sentences(*results.main[:2])
    lines = [INTRODUCTION.format(epochs=epochs, sentences=sentences)]
    for title, table in sections:
        rows = table(results)
        if rows:
            lines += [f"## {title}\n", common.markdown(rows), ""]
    return "\n".join(lines)


def draw(results, pyplot):
    """Draw the learning curves for both taggers, and the gains of first-order parsers next to those of the paper."""
    figure, axes = pyplot.subplots(1, 3, figsize=(14, 4.5))
    colours = {"arc": "tab:blue", "carreras": "tab:orange"}
    for axis, tagger, colour in zip(axes, PAPER_3, ("tab:green", "tab:red"), strict=False):
        curve = results.curve(tagger)
        for column, (model, clusters) in enumerate(PAIRS):
            label = f"{model} + clusters" if clusters else model
            style = {"color": colours[model], "linestyle": "-" if clusters else "--", "marker": "o", "label": label}
            axis.plot(list(curve), [four[column] for four in curve.values()], **style)
        axis.set(title=f"EWT, tagger trained on {tagger}", ylabel="UAS on dev, no punctuation")
        for title, scores, style in (("EWT", curve, "o-"), ("paper", PAPER_3[tagger], "s:")):
            gains = {size: gain(four[1], four[0]) for size, four in scores.items()}
            axes[2].plot(gains.keys(), gains.values(), style, color=colour, label=f"{title}, tagger on {tagger}")
    axes[2].set(title="Gain by clusters: arc", ylabel="points of UAS")
    axes[2].axhline(0, color="black", linewidth=0.5)
    marked = (*(list(results.curve(tagger)) for tagger in PAPER_3), list(PAPER_3["all"])[:-1])
    for axis, sizes in zip(axes, marked, strict=True):
        axis.set(xlabel="training sentences", xscale="log")
        axis.set_xticks([], minor=True)
        axis.set_xticks(sizes, [f"{size / 1000:.3g}k" for size in sizes])
        axis.grid(linewidth=0.3)
        axis.legend(fontsize=8)
    return figure
