"""The tables and the figure, next to the numbers of the paper."""

from __future__ import annotations

import common

SCM, SS_SCM = "Supervised SCM (1od)", "SS-SCM (1od)"
MIRA, TWO_STAGE = "Supervised MIRA (2od)", "2-stage SS-SCM + MIRA (2od)"
#: Table 3a of the paper, 2,000 sentences: baseline and CL.
PAPER_3 = {SCM: (87.02, 88.05), SS_SCM: (88.07, 89.55), MIRA: (89.20, 90.06), TWO_STAGE: (90.03, 90.90)}
#: What each semi-supervised system is compared with.
SUPERVISED = {SS_SCM: SCM, TWO_STAGE: MIRA}
FEATURES = ("baseline", "CL")


class Results:
    """The rows that there are."""

    def __init__(self, found, corpora, options):
        self.found, self.corpora, self.options = found, corpora, options
        self._row = type(next(iter(found)))

    def of(self, corpus, clusters, system, tokens=None):
        raw = self.options.tokens if tokens is None else tokens
        return self.found.get(self._row(corpus, clusters, system, raw if system in SUPERVISED else 0))

    def score(self, *place):
        value = self.of(*place)
        return None if value is None else value["score"]

    def columns(self):
        """List treebanks and features of which there is anything."""
        places = [(corpus, clusters) for corpus in self.corpora for clusters in (False, True)]
        return [place for place in places if any(self.of(*place, system) for system in PAPER_3)]


def table_of_treebanks(results):
    rows = []
    for corpus in dict.fromkeys(corpus for corpus, _ in results.columns()):
        gold = results.corpora[corpus].gold(results.options.sentences)
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
    for system, paper in PAPER_3.items():
        scores = {place: results.score(*place, system) for place in results.columns()}
        rows.append(row_3(system, scores, paper))
        if system in SUPERVISED:
            gains = {place: difference(results, place, system, SUPERVISED[system]) for place in scores}
            paper_gains = [a - b for a, b in zip(paper, PAPER_3[SUPERVISED[system]], strict=True)]
            rows.append(row_3("gain", gains, paper_gains))
    return rows


def row_3(title, values, paper):
    here = {f"{corpus} {FEATURES[clusters]}": value for (corpus, clusters), value in values.items()}
    return {"": title, **here, **{f"*paper {name}*": x for name, x in zip(FEATURES, paper, strict=True)}}


def difference(results, place, system, other):
    a, b = results.score(*place, system), results.score(*place, other)
    return None if a is None or b is None else a - b


def table_of_signs(results):
    """Compare each system with its supervised one, and with itself without clusters."""
    rows = []
    for corpus, clusters in results.columns():
        for system, other in SUPERVISED.items():
            title = f"{system} against {other}, {FEATURES[clusters]}"
            paper = PAPER_3[system][clusters] - PAPER_3[other][clusters]
            rows.append(signs(corpus, title, results.of(corpus, clusters, system), results.of(corpus, clusters, other)))
            rows[-1] |= {"*paper's gain*": paper}
    for corpus in results.corpora:
        for system, (without, with_clusters) in PAPER_3.items():
            pair = results.of(corpus, True, system), results.of(corpus, False, system)
            rows.append(signs(corpus, f"CL against baseline, {system}", *pair))
            rows[-1] |= {"*paper's gain*": with_clusters - without}
    return [row for row in rows if "gain" in row]


def signs(corpus, title, a, b):
    row = {"treebank": corpus, "comparison": title}
    if a is None or b is None:
        return row
    return row | {"gain": a["score"] - b["score"], **common.sign_test(a["correct"], b["correct"])}


def curve(results, clusters):
    """Give the results of SS-SCM on EWT by the words of raw text that were read, the supervised model first."""
    values = [results.of("EWT", clusters, SCM)]
    values += [results.of("EWT", clusters, SS_SCM, n) for n in {*results.options.figure, results.options.tokens}]
    return sorted((value for value in values if value is not None), key=lambda value: value["raw words"])


def table_of_tokens(results):
    rows = []
    for clusters, name in enumerate(FEATURES):
        values = curve(results, bool(clusters))
        for value in values:
            row = {"features": name, "raw words": value["raw words"], "UAS": value["score"]}
            row |= {"gain": None, "better": "", "worse": "", "p": ""}
            if value["raw words"] and not values[0]["raw words"]:
                row |= {"gain": value["score"] - values[0]["score"]}
                row |= common.sign_test(value["correct"], values[0]["correct"])
            rows.append(row)
    return rows


def table_of_choices(results):
    """Show what was tried, with the scores on the validation slice, and the epochs chosen."""
    return [
        {
            "treebank": row.corpus,
            "features": FEATURES[row.clusters],
            "system": row.system,
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
        "Table 3, next to the paper's columns for 2,000 sentences of the WSJ and 43M tokens of raw text": table_3,
        "Sign test over sentences": table_of_signs,
        "Figure 1: SS-SCM on EWT by the amount of raw text, against none": table_of_tokens,
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
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for clusters, name in enumerate(FEATURES):
        values = curve(results, bool(clusters))
        read = [value for value in values if value["raw words"]]
        colour = f"C{clusters}"
        if read:
            axes[0].plot([v["raw words"] for v in read], [v["score"] for v in read], "o-", color=colour, label=name)
        if values and not values[0]["raw words"]:
            axes[0].axhline(values[0]["score"], color=colour, linestyle=":", label=f"{name}, no raw text")
    axes[0].set(xlabel="tokens of raw text", ylabel="UAS on dev, no punctuation", xscale="log", xlim=(5e4, 2e7))
    axes[0].set(title="SS-SCM, first order, EWT (Figure 1)")
    draw_gains(results, axes[1])
    for axis in axes:
        axis.grid(linewidth=0.3)
        axis.legend(fontsize=8)
    return figure


def draw_gains(results, axis):
    pairs = list(SUPERVISED.items())
    names = [f"{order} order\n{name}" for order in ("first", "second") for name in FEATURES]
    for number, corpus in enumerate([*results.corpora, "paper: WSJ"]):
        gains = []
        for system, other in pairs:
            for clusters in (False, True):
                here = difference(results, (corpus, clusters), system, other)
                paper = PAPER_3[system][clusters] - PAPER_3[other][clusters]
                gains.append(paper if corpus == "paper: WSJ" else here)
        places = [i + 0.25 * number for i, gain in enumerate(gains) if gain is not None]
        axis.bar(places, [gain for gain in gains if gain is not None], 0.25, color=f"C{number}", label=corpus)
    axis.set_xticks([i + 0.25 for i in range(len(names))], names, fontsize=8)
    axis.axhline(0, color="black", linewidth=0.5)
    axis.set(title="Gains by raw text (Table 3)", ylabel="points of UAS")
