"""One figure: learning curves, losses, Work and Savings, and the gains of all systems."""

from __future__ import annotations

from systems import BOOSTS
from tables import NAMES, rows_of, title_of


def draw(found, pyplot):
    """Draw Figures 5 to 9 of Collins and Koo (2005), and gains over the base."""
    figure, axes = pyplot.subplots(2, 3, figsize=(17, 9.5))
    corpora = list(dict.fromkeys(name for name, _ in found))
    # Curves are those of the first treebank that has them, as one is enough to see the shapes.
    first = next((name for name in corpora if (name, BOOSTS[0]) in found), None)
    panels = axes.flat
    if first is not None:
        own = {system: value for (name, system), value in found.items() if name == first}
        _scores(next(panels), own[BOOSTS[0]], title_of(first))
        _smoothing(next(panels), own)
        _importance(next(panels), own)
        _losses(next(panels), own)
        _work(next(panels), found, corpora)
    _gains(next(panels), found, corpora)
    for axis in panels:
        axis.axis("off")
    return figure


def _prepare(axis, title, y):
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("rounds")
    axis.set_ylabel(y)
    axis.set_xscale("symlog", linthresh=10)
    axis.set_xlim(left=0)
    axis.grid(alpha=0.3)


def _scores(axis, value, title):
    for part, label in (("train", "train (some)"), ("validation", "slice"), ("dev", "dev")):
        axis.plot(value["points"], value["curves"][part], label=label)
    axis.axvline(value["rounds"], color="grey", lw=0.8, ls=":", label="chosen on the slice")
    _prepare(axis, f"Figure 5: {title}, ε = 0.0025", "score, 100 = base")
    axis.legend(fontsize=8)


def _smoothing(axis, own):
    for name in ("boost 0.0001", "boost 0.001", "boost 0.0025", "boost 0.0075"):
        if name in own:
            line = axis.plot(own[name]["points"], own[name]["curves"]["validation"], label=f"ε = {name.split()[1]}")
            axis.plot(own[name]["points"], own[name]["curves"]["dev"], ls="--", color=line[0].get_color())
    _prepare(axis, "Figure 6: smoothing (full: slice, dashed: dev)", "score, 100 = base")
    axis.legend(fontsize=8)


def _importance(axis, own):
    for name, label in ((BOOSTS[0], "S = difference of scores"), ("boost 0.0025 unweighted", "S = 1")):
        if name in own:
            line = axis.plot(own[name]["points"], own[name]["curves"]["validation"], label=label)
            axis.plot(own[name]["points"], own[name]["curves"]["dev"], ls="--", color=line[0].get_color())
    _prepare(axis, "Figure 7: importance of pairs (full: slice, dashed: dev)", "score, 100 = base")
    axis.legend(fontsize=8)


def _losses(axis, own):
    names = {BOOSTS[0]: "ExpLoss", "log-bound": "bound", "log-selection": "selection"}
    for name, label in names.items():
        if name in own:
            curves, points = own[name]["curves"], own[name]["loss points"]
            line = axis.plot(points, curves["log-likelihood train"], label=f"{label}: train")
            style = {"ls": "--", "color": line[0].get_color()}
            axis.plot(points, curves["log-likelihood validation"], label=f"{label}: slice", **style)
    _prepare(axis, "Log-likelihood of the best candidate; grey: ExpLoss, 1 = start", "log-likelihood of a sentence")
    axis.legend(fontsize=8, loc="center left")
    other = axis.twinx()
    other.plot(own[BOOSTS[0]]["loss points"], own[BOOSTS[0]]["loss"], color="grey")
    other.set_ylim(0, 1.02)


def _work(axis, found, corpora):
    for name in corpora:
        if (name, BOOSTS[0]) in found:
            value = found[name, BOOSTS[0]]
            pairs = [pair for pair in zip(value["points"], value["work"], strict=True) if pair[1]]
            line = axis.plot(*zip(*pairs, strict=True), label=f"{title_of(name)}: Work(n)")
            savings = [(n, n / work) for n, work in pairs]
            axis.plot(*zip(*savings, strict=True), ls="--", color=line[0].get_color(), label="Savings(n)")
    axis.axhline(37.1, color="grey", lw=0.8, ls=":")
    axis.set_yscale("log")
    _prepare(axis, "Figures 8 and 9; dotted: the article's Work(100,000)", "passes; times")
    axis.legend(fontsize=8)


def _gains(axis, found, corpora):
    systems = [name for name in NAMES if name not in ("base", "oracle")]
    height = 0.8 / len(corpora)
    for number, corpus in enumerate(corpora):
        rows = rows_of(found, corpus)
        if "base" not in rows:
            continue
        measure = "F1" if "F1" in rows["base"] else "LAS"
        shown = [(place, rows[name]) for place, name in enumerate(systems) if name in rows]
        places = [place + (number - (len(corpora) - 1) / 2) * height for place, _ in shown]
        gains = [value[measure] - rows["base"][measure] for _, value in shown]
        axis.barh(places, gains, height, label=f"{title_of(corpus)}, {measure}")
    axis.axvline(1.55, color="grey", lw=0.8, ls=":", label="article: boosting, F1")
    axis.axvline(0, color="black", lw=0.8)
    axis.set_yticks(range(len(systems)), [NAMES[name] for name in systems], fontsize=7)
    axis.invert_yaxis()
    axis.set_title("Gain over the base parser on dev", fontsize=10)
    axis.grid(alpha=0.3, axis="x")
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.4, -0.05), ncol=3)
