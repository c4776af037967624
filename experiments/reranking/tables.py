"""The tables of the articles, and what stands here beside them."""

from __future__ import annotations

import common
import values
from corpora import TREEBANKS
from systems import ABLATED, BOOSTS, MIXED, MIXTURES, OTHERS, TIES

#: Table 1 of Collins and Koo (2005): section 23 of the WSJ; the columns are those of `_brackets`.
ARTICLE = {
    "": {"base": (88.1, 88.3, 88.2, 1.06, 64.0, 85.1), "boosting": (89.6, 89.9, 89.75, 0.86, 68.7, 88.3)},
    "≤ 40 ": {"base": (88.5, 88.7, 88.6, 0.92, 66.7, 87.1), "boosting": (90.2, 90.4, 90.3, 0.73, 71.2, 90.2)},
}
#: Table 1 of Koo and Collins (2005), sections 22 to 24: recall and precision.
HIDDEN_ARTICLE = {"base": (88.19, 88.60), "mix": (89.41, 89.87), "boosting": (89.46, 90.07), "mix+": (89.78, 90.29)}
#: Tables 2 and 3 of Collins and Koo: ε → best number of rounds and score, and score without weights.
SMOOTHING_ARTICLE = {
    0.0001: (29_471, 101.743, 101.744),
    0.00025: (22_468, 101.849, 101.754),
    0.0005: (48_795, 101.845, 101.778),
    0.00075: (43_386, 101.809, 101.762),
    0.001: (43_975, 101.849, 101.778),
    0.0025: (90_386, 101.864, 101.699),
    0.005: (66_378, 101.824, 101.610),
    0.0075: (80_746, 101.722, 101.604),
}
#: Table 4: Savings(a, b).
SAVINGS_ARTICLE = {
    "1–10": "48.6",
    "11–100": "83.5",
    "101–1000": "280.0",
    "1001–10000": "1,263.9",
    "10001–50000": "2,920.2",
    "50001–100000": "4,229.8",
}

COLUMNS = ("LR", "LP", "F1", "CBs", "0 CBs", "2 CBs")
NAMES = {
    "base": "base parser",
    "boosting": "ExpLoss boosting",
    "log-bound": "LogLoss, bound of Appendix B",
    "log-selection": "LogLoss, selection",
    "log-linear": "log-linear, L2",
    "perceptron": "averaged perceptron",
    **{f"hidden {name}": f"hidden: {name.replace(' ', ', ')}" for name in (*MIXED, *OTHERS)},
    "mix": "MIX: base + three hidden",
    "mix+": "MIX+: MIX + boosting",
    "mix+ log-linear": "MIX + log-linear",
    "mix of eight": "base + all eight hidden",
    "mix+ of eight": "base + all eight hidden + boosting",
    "mix without base": "MIX, base log-probability only mixed",
    "oracle": "best of each list",
}
#: What a cell keeps beside its numbers.
LONG = (
    *("scores", "points", "curves", "loss points", "loss", "work", "savings", "losses", "tried", "weights", "values"),
    *MIXTURES,
)


def plain(value):
    """Leave out what is too long for a row."""
    return {name: x for name, x in value.items() if name not in LONG or isinstance(x, int)}


def rows_of(found, corpus):
    """Give the rows of a treebank by name; boosting is that with the ε that is best on the slice."""
    own = {system: value for (name, system), value in found.items() if name == corpus}
    boosts = [own[name] for name in BOOSTS if name in own]
    if boosts:
        own["boosting"] = max(boosts, key=lambda value: value["validation"])
    return {name: own[name] for name in NAMES if name in own}


def report(found, corpora) -> str:
    """Write all tables."""
    sections = [("Lists", _lists(found, corpora))]
    ties, corpora = _ties(found, corpora), [corpus for corpus in corpora if not corpus.has_duplicates]
    for corpus in corpora:
        rows = rows_of(found, corpus.name)
        if corpus.is_bracketed:
            sections += [
                (f"{corpus.title}: brackets, all sentences", _brackets(rows, "")),
                (f"{corpus.title}: brackets, up to 40 words", _brackets(rows, "≤ 40 ")),
            ]
        else:
            sections.append((f"{corpus.title}: dependencies", _arcs(rows)))
        sections.append((f"{corpus.title}: sign tests", _tests(rows)))
    sections += [
        ("Smoothing and importance of boosting (Tables 2 and 3 of Collins and Koo)", _smoothing(found, corpora)),
        ("Equally good candidates: all of them the best, or the most probable one; duplicates", ties),
        ("α₀ of LogLoss: 1, or fitted", _fitted(found, corpora)),
        ("Work and Savings (section 5.4.3, Table 4)", _savings(found, corpora)),
        ("Base log-probability as a feature, or only mixed (Koo and Collins, section 4.3)", _bases(found, corpora)),
        ("Stochastic descent and conjugate gradient (Koo and Collins, footnote 3)", _optimizers(found, corpora)),
        ("What hidden values mean (Koo and Collins, section 6.3): tag values, heads, train", _values(found, corpora)),
        ("What was chosen on the slice", _choices(found, corpora)),
        ("Weights of mixtures", _mixtures(found, corpora)),
        ("Ways to tune the weights: score in the fifths of the slice not tuned on", _tuning(found, corpora)),
    ]
    texts = [f"## {title}\n\n{common.markdown(rows)}\n" for title, rows in sections if rows]
    return "# Reranking\n\n" + "\n".join(texts)


def _lists(found, corpora):
    rows = []
    for corpus in corpora:
        value = found.get((corpus.name, "lists"))
        if value is None:
            continue
        lists = sum(value[f"{part} lists"] for part in ("train", "validation", "dev"))
        candidates = sum(value[f"{part} candidates"] for part in ("train", "validation", "dev"))
        rows.append(
            {
                "": corpus.title,
                "train": value["train lists"],
                "slice": value["validation lists"],
                "dev": value["dev lists"],
                "candidates of a sentence": candidates / lists,
                "features": value["features"],
                "slice: base": value["validation base"],
                "slice: best": value["validation best"],
                "slice: several best, % of lists": value["validation tied"],
            }
        )
    return rows


def _brackets(rows, prefix):
    shown, base = [], rows.get("base")
    for name, value in rows.items():
        row = {"system": NAMES[name], **{column: value[prefix + column] for column in COLUMNS}}
        row["gain in F1"] = value[prefix + "F1"] - base[prefix + "F1"] if base else None
        article = ARTICLE[prefix].get(name)
        row["*article: LR, LP, F1*"] = f"*{', '.join(map(str, article[:3]))}*" if article else ""
        if not prefix and name in HIDDEN_ARTICLE:
            row["*Koo and Collins: LR, LP*"] = "*{:.2f}, {:.2f}*".format(*HIDDEN_ARTICLE[name])
        elif not prefix:
            row["*Koo and Collins: LR, LP*"] = ""
        shown.append(row)
    return shown


def _arcs(rows):
    base = rows.get("base")
    return [
        {
            "system": NAMES[name],
            "UAS": value["UAS"],
            "LAS": value["LAS"],
            "gain in LAS": value["LAS"] - base["LAS"] if base else None,
        }
        for name, value in rows.items()
    ]


def _tests(rows):
    """Compare what is right sentence by sentence: F1 times the number of constituents, or words."""
    pairs = [(name, "base") for name in rows if name not in ("base", "oracle")]
    pairs += [("mix+", "boosting"), ("mix", "boosting"), ("mix+ log-linear", "log-linear"), ("log-linear", "boosting")]
    return [
        {
            "systems": f"{NAMES[one]} against {NAMES[two]}",
            **common.sign_test(rows[one]["scores"], rows[two]["scores"]),
        }
        for one, two in pairs
        if one in rows and two in rows
    ]


def _bases(found, corpora):
    """Compare models with the base log-probability as a feature, without it, and without it but mixed with the base."""
    rows = []
    for corpus in corpora:
        for name in (*MIXED, "mix"):
            systems = (
                ("mix", None, "mix without base")
                if name == "mix"
                else (f"hidden {name}", f"hidden {name} without-base", f"mix {name} without base")
            )
            values = [found.get((corpus.name, system)) for system in systems]
            if values[0] is None or values[2] is None:
                continue
            row = {"treebank": corpus.title, "model": NAMES[systems[0]]}
            columns = ("a feature", "absent", "only mixed")
            row |= {column: value and _score(value) for column, value in zip(columns, values, strict=True)}
            rows.append(row | common.sign_test(values[2]["scores"], values[0]["scores"]))
    return rows


def _optimizers(found, corpora):
    rows = []
    for corpus in corpora:
        for system, name in (
            (f"hidden {ABLATED}", "stochastic descent"),
            (f"hidden {ABLATED} cg", "conjugate gradient"),
        ):
            value = found.get((corpus.name, system))
            if value is None or (corpus.name, f"hidden {ABLATED} cg") not in found:
                continue
            rows.append(
                {
                    "treebank": corpus.title,
                    "optimizer": name,
                    "epochs": value["epochs"],
                    "objective per list": value.get("objective"),
                    "slice": value["validation"],
                    "F1 or LAS": _score(value),
                    "CPU s": value["seconds"],
                }
            )
    return rows


def _values(found, corpora):
    cells = [(corpus.title, found.get((corpus.name, "hidden tag head"), {})) for corpus in corpora]
    return [row for title, value in cells for row in values.rows(title, value.get("values", {}))]


def _score(value):
    return value["F1"] if "F1" in value else value["LAS"]


def _smoothing(found, corpora):
    """Write Tables 2 and 3: weighted and unweighted pairs side by side, ε in order."""
    rows = []
    for corpus in corpora:
        base = found.get((corpus.name, "base"))
        if base is None:
            continue
        for smoothing in sorted(float(name.split()[1]) for name in BOOSTS):
            rounds, *scores = SMOOTHING_ARTICLE.get(smoothing, ("", "", ""))
            row = {"treebank": corpus.title, "ε": str(smoothing)}
            for title, end, score in (("", "", scores[0]), ("unweighted ", " unweighted", scores[1])):
                value = found.get((corpus.name, f"boost {smoothing}{end}"))
                row[f"{title}N"] = value and value["rounds"]
                row[f"{title}features"] = value and value["used"]
                row[f"{title}slice, 100 = base"] = value and 100 * value["validation"] / base["validation"]
                row[f"{title}dev"] = value and 100 * sum(value["scores"]) / sum(base["scores"])
                row[f"*{title}article*"] = f"*{score}*" if score else ""
            row["*article: N*"] = f"*{rounds:,}*" if rounds else ""
            if any(row[name] for name in ("N", "unweighted N")):
                rows.append(row)
    return rows


def _ties(found, corpora):
    """Compare the probability of all best candidates with that of one of them, with and without duplicates."""
    rows = []
    for corpus in corpora:
        for name in (*TIES, f"hidden {ABLATED}"):
            every, one = (found.get((corpus.name, name + end)) for end in ("", " one"))
            if every and one:
                row = {"lists": corpus.title, "learner": NAMES[name], "slice: one": one["validation"]}
                row |= {"slice: all": every["validation"], "dev: one": _score(one), "dev: all": _score(every)}
                rows.append(row | common.sign_test(every["scores"], one["scores"]))
    return rows


def _fitted(found, corpora):
    rows = []
    for corpus in corpora:
        for name in ("log-bound", "log-selection"):
            plain, fitted = (found.get((corpus.name, name + end)) for end in ("", " fitted"))
            if plain and fitted:
                row = {"treebank": corpus.title, "learner": NAMES[name], "α₀ fitted": fitted["alpha"]}
                row |= {"rounds: 1": plain["rounds"], "rounds: fitted": fitted["rounds"]}
                row |= {"slice: 1": plain["validation"], "slice: fitted": fitted["validation"]}
                row |= {"dev: 1": _score(plain), "dev: fitted": _score(fitted)}
                rows.append(row | common.sign_test(fitted["scores"], plain["scores"]))
    return rows


def _savings(found, corpora):
    columns = {corpus.title: found[key] for corpus in corpora if (key := (corpus.name, BOOSTS[0])) in found}
    if not columns:
        return []
    rows = [
        {
            "Savings(a, b)": name,
            **{title: value["savings"].get(name) for title, value in columns.items()},
            "*article*": f"*{number}*",
        }
        for name, number in SAVINGS_ARTICLE.items()
    ]
    last = max(value["points"][-1] for value in columns.values())
    rows.append(
        {
            "Savings(a, b)": f"1–{last}",
            **{title: value["savings in all"] for title, value in columns.items()},
            "*article*": "*2,692.7*",
        }
    )
    work = {title: value["work"][-1] for title, value in columns.items()}
    rows.append({"Savings(a, b)": f"Work({last}), passes", **work, "*article*": "*37.1*"})
    return rows


def _choices(found, corpora):
    rows = []
    for corpus in corpora:
        for name, value in rows_of(found, corpus.name).items():
            told = [f"{key} {value[key]:,}" for key in ("rounds", "used", "epochs", "C") if key in value]
            told += [f"α₀ {value['alpha']:.3f}"] if "alpha" in value else []
            if "validation" in value and name != "base":
                row = {"treebank": corpus.title, "system": NAMES[name], "chosen": ", ".join(told)}
                rows.append(row | {"slice": value["validation"], "CPU s": value.get("seconds", 0.0)})
    return rows


def _mixtures(found, corpora):
    return [
        {
            "treebank": corpus.title,
            "mixture": NAMES[name],
            "weights": ", ".join(f"{model} {weight:.2f}" for model, weight in value["weights"].items()),
        }
        for corpus in corpora
        for name, value in rows_of(found, corpus.name).items()
        if name in MIXTURES
    ]


def _tuning(found, corpora):
    return [
        {"treebank": corpus.title, "mixture": NAMES[name], **ways}
        for corpus in corpora
        for name, ways in found.get((corpus.name, "tuning"), {}).items()
    ]


def title_of(name: str) -> str:
    return TREEBANKS[name].title
