"""The tables of Koo et al. (2010), the paper's numbers beside those measured."""

from __future__ import annotations

import itertools

import common
import numpy as np
from models import MODELS
from programs import PROGRAMS
from searches import FACTORIZATIONS, SEARCHES

#: Table 1: MST, Sib, G+S, CertS, CertG, TimeS, TimeG, TrainS, TrainG.
PAPER_1 = {
    "Danish": (89.74, 91.08, 91.78, 99.07, 98.45, 0.053, 0.169, 0.051, 0.109),
    "Dutch": (82.33, 84.81, 85.81, 98.19, 97.93, 0.035, 0.120, 0.046, 0.048),
    "Portuguese": (90.68, 92.57, 93.03, 99.65, 99.31, 0.047, 0.257, 0.077, 0.103),
    "Slovene": (82.39, 84.89, 86.21, 90.55, 95.27, 0.158, 0.295, 0.054, 0.130),
    "Swedish": (88.79, 90.10, 91.36, 98.71, 98.97, 0.035, 0.141, 0.036, 0.055),
    "Turkish": (75.66, 77.14, 77.55, 98.72, 99.04, 0.021, 0.047, 0.016, 0.036),
    "English (CoNLL-08)": (89.20, 91.18, 91.59, 98.65, 99.18, 0.082, 0.200, 0.032, 0.076),
    "English (PTB)": (90.10, 91.96, 92.46, 98.89, 98.63, 0.062, 0.210, 0.028, 0.078),
    "Czech (PDT)": (84.36, 86.44, 87.32, 96.67, 96.43, 0.063, 0.221, 0.019, 0.051),
}
#: Table 2: accuracy, integral, time, integral on random problems; for Sib and for G+S.
PAPER_2 = {
    "LP(S)": ((92.14, 88.29, 0.14, 11.7), (92.60, 91.64, 0.23, 0.0)),
    "LP(M)": ((92.17, 93.18, 0.58, 30.6), (92.58, 94.41, 0.75, 0.0)),
    "ILP": ((92.19, 100.0, 1.44, 100.0), (92.70, 100.0, 1.79, 100.0)),
    "DD-5000": ((92.19, 98.82, 0.08, 35.6), (92.71, 98.76, 0.23, 6.8)),
    "DD-250": ((92.23, 89.29, 0.03, 10.2), (92.66, 85.47, 0.12, 0.0)),
}
#: Table 3: Sib, P-Sib, G+S, P-G+S.
PAPER_3 = {"English (PTB)": (92.19, 92.34, 92.71, 92.70), "Czech (PDT)": (86.41, 85.67, 87.40, 86.43)}
#: Section 7.6: precision and recall of z*, for Sib on English.
PAPER_CHOICE = (91.11, 88.95)

#: The ways of Table 2 that use dual decomposition; the others are programs.
WAYS = [way for way in SEARCHES if way != "projective"]


class Results:
    """What is known of each model: its training, its searches, its programs; of the first learner if none is given."""

    def __init__(self, treebanks, learners, cells, store):
        missing = {cell.treebank.name for cell in cells if cell.treebank and cell not in store}
        self.treebanks = [treebank for treebank in treebanks if treebank.name not in missing]
        self.learners, self.program, self._found = learners, store.program, {}
        for cell in (cell for cell in cells if cell in store):
            settings = cell.settings.get("of", cell.settings)
            learner, question = settings.get("learner"), cell.settings.get("question", "model")
            key = cell.treebank and cell.treebank.name, settings["model"], question, learner
            self._found[key] = {"sentences": settings.get("sentences"), **store[cell]}

    def of(self, treebank, model, question="model", learner=None):
        return self._found[treebank.name, model, question, learner or self.learners[0]]

    def random(self, model):
        return self._found[None, model, "random", None]["random"]

    def has(self, treebank, model, way="DD-5000"):
        """Tell whether a model was searched in a way."""
        found = self._found.get((treebank.name, model, "search", self.learners[0]))
        return found is not None and way in found["searches"]

    def search(self, treebank, model, way="DD-5000", learner=None):
        return self.of(treebank, model, "search", learner)["searches"][way]

    def correct(self, treebank, model, way="DD-5000", learner=None):
        """Count correct heads; where there was no search but after training, those found then (aimed-5000)."""
        if self.has(treebank, model, way):
            return self.search(treebank, model, way, learner)["correct"]
        return self.of(treebank, model, "model", learner)["correct"]

    def uas(self, treebank, model, way="DD-5000", learner=None):
        return common.uas(self.correct(treebank, model, way, learner), treebank.dev)


def searched(results, model):
    """List the treebanks whose model was searched in all ways."""
    return [treebank for treebank in results.treebanks if results.has(treebank, model, "exact")]


def table_1(results):
    rows = []
    for treebank in results.treebanks:
        certified, seconds, training = [], [], []
        for model in FACTORIZATIONS:
            training.append(results.of(treebank, model)["seconds"] / len(treebank.train))
            found = results.search(treebank, model) if results.has(treebank, model) else None
            certified.append(found and 100 * np.mean(found["certified"]))
            scoring = found and results.of(treebank, model, "search")["scoring"] / len(treebank.dev)
            seconds.append(found and np.mean(found["seconds"]) + scoring)
        numbers = [results.uas(treebank, model) for model in MODELS] + certified + seconds + training
        rows.append(row_1(treebank.title, numbers))
    return rows + [row_1(f"*paper: {name}*", numbers) for name, numbers in PAPER_1.items()]


def row_1(title, numbers):
    columns = ("MST", "Sib", "G+S", "CertS", "CertG", "TimeS", "TimeG", "TrainS", "TrainG")
    row = {name: None if x is None else float(x) for name, x in zip(columns, numbers, strict=True)}
    return {"": title} | {name: f"{x:.4f}" if x is not None and name[0] == "T" else x for name, x in row.items()}


def learners(results):
    """Compare the learners on Sib: UAS, certificates, and how good the automata are by themselves."""
    rows = []
    for treebank in results.treebanks:
        for learner in results.learners:
            found = results.search(treebank, "Sib", learner=learner)
            aimed = results.search(treebank, "Sib", "aimed-5000", learner)
            right, taken, words = results.of(treebank, "Sib", "search", learner)["choice"]
            sentences = results.of(treebank, "Sib", "model", learner)["sentences"]
            row = {"": treebank.title, "learner": learner, "training sentences": sentences}
            row["UAS"] = results.uas(treebank, "Sib", learner=learner)
            row |= {"CertS": 100 * np.mean(found["certified"]), "CertS, aimed": 100 * np.mean(aimed["certified"])}
            rows.append(row | {"z* precision": 100 * right / taken, "z* recall": 100 * right / words})
    return rows


def certificates(results):
    """Compare the ways to search, on all of dev."""
    rows = []
    for model in FACTORIZATIONS:
        for treebank in searched(results, model):
            row = {"model": model, "": treebank.title}
            for way in WAYS:
                found = results.search(treebank, model, way)
                row |= {way: f"{100 * np.mean(found['certified']):.2f}", f"{way} ms": 1e3 * np.mean(found["seconds"])}
            rows.append(row)
    return rows


def ways_on_sample(results, treebank, model):
    """Give accuracy, whole solutions and seconds of all ways on the sample of a treebank."""
    found = results.of(treebank, model, "programs")
    words = sum(len(treebank.dev[index]) for index in found["sample"])
    rows = {}
    for way, columns in found["programs"].items():
        rows[way] = (
            100 * sum(columns["correct"]) / words,
            100 * np.mean(columns["integral"]),
            np.mean(columns["seconds"]),
        )
    for way in WAYS:
        one = results.search(treebank, model, way)
        correct, whole, seconds = (
            [one[name][index] for index in found["sample"]] for name in ("correct", "certified", "seconds")
        )
        rows[way] = 100 * sum(correct) / words, 100 * np.mean(whole), np.mean(seconds)
    return rows


def shown_treebank(results):
    """Choose the treebank of Table 2 and of the figures: English, as in the paper, if it is there."""
    known = searched(results, "G+S") or results.treebanks
    return next((one for one in known if one.title == "English"), known[-1])


def table_2(results):
    rows = []
    for index, model in enumerate(FACTORIZATIONS):
        if not results.has(shown_treebank(results), model):
            continue
        random = results.random(model)
        for way, (accuracy, whole, seconds) in ways_on_sample(results, shown_treebank(results), model).items():
            row = {"model": model, "way": way, "Acc": accuracy, "Int": whole, "Time": f"{seconds:.4f}"}
            row |= {"Rand": random.get(way, "(100)")}
            paper = PAPER_2.get(way, (("",) * 4,) * 2)[index]
            rows.append(row | dict(zip(("*Acc*", "*Int*", "*Time*", "*Rand*"), paper, strict=True)))
    return rows


def table_2_all(results):
    """Give whole solutions and milliseconds of the ways, for each treebank."""
    rows = []
    for model in FACTORIZATIONS:
        for treebank in searched(results, model):
            sample = len(results.of(treebank, model, "programs")["sample"])
            row = {"model": model, "": treebank.title, "sentences": sample}
            found = ways_on_sample(results, treebank, model)
            for way in (*PROGRAMS, "DD-5000", "exact"):
                row |= {f"{way} Int": found[way][1], f"{way} ms": round(1e3 * found[way][2], 1)}
            rows.append(row)
    return rows


def table_3(results):
    rows = []
    columns = {name: (model, way) for model in FACTORIZATIONS for name, way in ways_3(model)}
    for treebank in results.treebanks:
        known = {name: key for name, key in columns.items() if results.has(treebank, *key)}
        numbers = dict.fromkeys(columns) | {name: results.uas(treebank, *key) for name, key in known.items()}
        rows.append({"": treebank.title, **numbers, "% of arcs lifted": treebank.lifted})
    paper = [{"": f"*paper: {title}*", **dict(zip(columns, row, strict=True))} for title, row in PAPER_3.items()]
    return rows + paper


def ways_3(model):
    """Name a model and its projective version, which has the same weights: training knows of no trees."""
    return (model, "aimed-5000"), (f"P-{model}", "projective")


def choices(results):
    rows = []
    for treebank in results.treebanks:
        row = {"": treebank.title}
        for model in (model for model in FACTORIZATIONS if results.has(treebank, model)):
            right, taken, words = results.of(treebank, model, "search")["choice"]
            row |= {f"{model} precision": 100 * right / taken, f"{model} recall": 100 * right / words}
        rows.append(row)
    names = [name for name in rows[0] if name.startswith("Sib")]
    return [*rows, {"": "*paper: English (PTB)*", **dict(zip(names, PAPER_CHOICE, strict=True))}]


def pruning(results):
    names = {"% of arcs": "pass", "heads a word": "heads", "oracle": "oracle"}
    found = [(treebank.title, results.of(treebank, "MST")) for treebank in results.treebanks]
    return [{"": title} | {name: one[key] for name, key in names.items()} for title, one in found]


def signs(results):
    pairs = [("G+S", "MST"), ("Sib", "MST"), ("G+S", "Sib")]
    rows = []
    for treebank in results.treebanks:
        cases = [(f"{a} against {b}", (a, "DD-5000"), (b, "DD-5000")) for a, b in pairs]
        cases += [
            (f"{model} against P-{model}", *((model, way) for _, way in ways_3(model))) for model in FACTORIZATIONS
        ]
        for title, a, b in cases:
            if b[1] == "projective" and not results.has(treebank, *b):
                continue
            gain = results.uas(treebank, *a) - results.uas(treebank, *b)
            test = common.sign_test(results.correct(treebank, *a), results.correct(treebank, *b))
            rows.append({"treebank": treebank.title, "comparison": title, "gain": gain, **test})
    return rows


def report(results):
    """Write all tables."""
    sample = len(results.of(shown_treebank(results), "Sib", "programs")["sample"])
    apart = sum(results.of(one, m, "programs")["apart"] for m in FACTORIZATIONS for one in searched(results, m))
    sections = {
        "Table 1: UAS, % of sentences with a certificate, seconds a sentence for parsing and for training": table_1,
        "Sign test over sentences": signs,
        "Learners of Sib: UAS, % of sentences with a certificate (K = 5000), and z*": learners,
        f"Table 2: ways to search, on {sample} dev sentences of {shown_treebank(results).title}": table_2,
        "Table 2 for all treebanks: % of solutions that are whole, and ms": table_2_all,
        "All of dev: % of sentences with a certificate, and ms for the search": certificates,
        "Table 3: projective and non-projective search": table_3,
        "Section 7.6: z*, what the automata choose by themselves": choices,
        "Pruning: what is left of dev": pruning,
    }
    lines = [
        "# Dual decomposition: results\n",
        f"Written by `run.py`. UAS on dev, all words, gold tags, {results.learners[0]} (where nothing else is said) on "
        "what automata choose by themselves (MST: on trees). DD: dual decomposition with the steps of the paper, so "
        "many iterations at most; aimed: with the steps of this library; tight: also with a tighter relaxation; exact: "
        "with branch and bound where there is no certificate.\n",
    ]
    lines.append(common.markdown(common.treebank_table(results.treebanks)))
    for title, table in sections.items():
        lines += [f"\n## {title}\n", common.markdown(table(results))]
    lines.append(f"\nWhole solutions of programs that differ in score from the tree of the exact search: {apart}.")
    return "\n".join([*lines, ""])


def csv_rows(results):
    """List every model and way to search, with all of dev; the programs with their sample."""
    rows = []
    for treebank, learner, model in itertools.product(results.treebanks, results.learners, MODELS):
        if learner != results.learners[0] and model != "Sib":
            continue
        trained = results.of(treebank, model, "model", learner)
        base = {
            "program": results.program,
            "treebank": treebank.name,
            "learner": learner,
            "sentences": trained["sentences"],
            "model": model,
        }
        base |= {name: trained[name] for name in ("validation", "epoch", "oracle")}
        base |= {"training seconds": trained["seconds"]}
        if not results.has(treebank, model):
            way = "MST" if model == "MST" else "aimed-5000"
            rows.append(base | cells_of(trained | {"seconds": None}, treebank.dev, "certified", way))
            continue
        ways = results.of(treebank, model, "search", learner)["searches"]
        tried = {way: (columns, treebank.dev, "certified") for way, columns in ways.items()}
        if learner == results.learners[0] and treebank in searched(results, model):
            found = results.of(treebank, model, "programs")
            sentences = [treebank.dev[index] for index in found["sample"]]
            tried |= {way: (columns, sentences, "integral") for way, columns in found["programs"].items()}
        rows += [base | cells_of(*one, way) for way, one in tried.items()]
    return rows


def cells_of(columns, sentences, whole, way):
    mean = {name: None if columns.get(name) is None else float(np.mean(columns[name])) for name in (whole, "seconds")}
    return {
        "way": way,
        "dev sentences": len(sentences),
        "dev UAS": common.uas(columns["correct"], sentences),
        "exact": mean[whole],
        "seconds a sentence": mean["seconds"],
    }
