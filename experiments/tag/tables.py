"""The tables of the paper, and what stands here beside them."""

from __future__ import annotations

from itertools import pairwise

import common
from treebanks import TREEBANKS

from treewright.evaluation import paired_bootstrap
from treewright.evaluation.bootstrap import percent_f1

#: Table 1 of the paper: all parsers trained on sections 2 to 21 of the Penn Treebank, 39,832 sentences.
PAPER_1 = [
    ("section 23", "Petrov, Pauls and Klein (2007)", None, None, 88.3),
    ("section 23", "Finkel, Kleeman and Manning (2008)", 88.2, 87.8, 88.0),
    ("section 23", "Charniak (2000)", 89.5, 89.6, 89.6),
    ("section 23", "Collins (2000)", 89.9, 89.6, 89.8),
    ("section 23", "Petrov and Klein (2007)", 90.2, 89.9, 90.1),
    ("section 23", "Carreras, Collins and Koo (2008), second order", 91.4, 90.7, 91.1),
    ("section 23", "Charniak and Johnson (2005), updated", None, None, 91.4),
    ("section 23", "Huang (2008)", None, None, 91.7),
    ("section 24", "Collins (2000)", 89.6, 88.6, 89.1),
    ("section 24", "Carreras, Collins and Koo (2008), second order", 91.1, 89.9, 90.5),
]
#: Table 2: sections 23 and 24.
PAPER_2 = [("KCC08 unlabelled", 92.0, 91.0), ("KCC08 labelled", 92.5, 91.7), ("this paper", 93.5, 92.5)]
#: Table 3: 1,699 development sentences; parsing time without that of the first stage.
PAPER_3 = [
    ("1e-4", 0.07, 97.7, 97.0, 1699 / 315, 91.1),
    ("1e-5", 0.16, 98.5, 97.9, 1699 / 705, 91.6),
    ("1e-6", 0.34, 99.0, 98.5, 1699 / 1310, 92.0),
]

BEAMS = ("1e-4", "1e-5", "1e-6")

#: The system whose training trees are pruned by its own pruner, which has seen them.
OWN_PRUNER = "second, 1e-5, own pruner"

NAMES = {
    "pcfg": "PCFG, unlexicalised",
    **{f"{order}, {beam}": f"{order} order, α = {beam}" for beam in BEAMS for order in ("first", "second")},
    OWN_PRUNER: "second order, α = 1e-5, own pruner",
    "arc": "dependency parser, `arc`",
    "carreras": "dependency parser, `carreras`",
    "arc, labelled": "dependency parser, `arc`, labelled",
    "carreras, labelled": "dependency parser, `carreras`, labelled",
}

#: What is tested: the system that should be better, the other, and by what.
TESTS = [
    ("first, 1e-5", "pcfg", "brackets"),
    *((f"second, {beam}", f"first, {beam}", "brackets") for beam in BEAMS),
    *((f"second, {wide}", f"second, {narrow}", "brackets") for narrow, wide in pairwise(BEAMS)),
    ("second, 1e-5", OWN_PRUNER, "brackets"),
    *((f"second, {beam}", parser, "heads") for beam in BEAMS for parser in ("carreras", "carreras, labelled")),
]


def report(found, treebanks) -> str:
    """Write all tables."""
    sections = [
        ("Treebanks", _treebanks(treebanks)),
        ("Table 1: brackets, and below them all parsers of the paper's", _brackets(found)),
        ("Significance", _tests(found)),
        ("Table 2: unlabelled dependencies", _dependencies(found)),
        ("Table 2 of the paper", [dict(zip(("", "s23", "s24"), row, strict=True)) for row in PAPER_2]),
        ("Table 3: the beam", _beams(found, treebanks)),
        ("Table 3 of the paper", [_paper_beam(row) for row in PAPER_3]),
    ]
    texts = [f"## {title}\n\n{common.markdown(rows)}\n" for title, rows in sections if rows]
    return "# Constituent parsing with spines\n\n" + "\n".join(texts)


def _treebanks(treebanks):
    return [
        {
            "": trees.title,
            "training trees": len(trees.train),
            "words": trees.words,
            "validation trees": len(trees.validation),
            "dev trees": len(trees.dev),
        }
        for trees in treebanks.values()
    ]


def _rows(found, systems):
    for name in TREEBANKS:
        for system in systems:
            if (name, system) in found:
                yield name, system, found[name, system]


def _brackets(found):
    rows = [
        {
            "treebank": TREEBANKS[name],
            "system": NAMES[system],
            **{key: value[key] for key in ("precision", "recall", "F1", "exact", "crossing", "tags")},
        }
        for name, system, value in _rows(found, NAMES)
        if "F1" in value
    ]
    columns = ("treebank", "system", "precision", "recall", "F1")
    paper = [dict(zip(columns, row, strict=True)) for row in PAPER_1]
    return rows + [row | {"treebank": f"*paper: {row['treebank']}*"} for row in paper] if rows else []


def _tests(found):
    """Compare brackets and heads: F1 sentence by sentence (sign test), and that of the corpus (bootstrap)."""
    rows = []
    for name in TREEBANKS:
        for better, worse, what in TESTS:
            if (name, better) in found and (name, worse) in found:
                pair = [found[name, system][what] for system in (better, worse)]
                drawn = paired_bootstrap(*pair)
                rows.append(
                    {
                        "treebank": TREEBANKS[name],
                        "systems": f"{NAMES[better]} against {NAMES[worse]}",
                        "of": "F1" if what == "brackets" else "UAS",
                        "difference": drawn.difference,
                        "95 %": f"{drawn.low:+.2f} to {drawn.high:+.2f}",
                        "bootstrap": common.shown_p(drawn.p),
                        **common.sign_test(*map(percent_f1, pair)),
                    }
                )
    return rows


def _dependencies(found):
    return [
        {"treebank": TREEBANKS[name], "system": NAMES[system], "UAS": value["UAS"]}
        for name, system, value in _rows(found, NAMES)
    ]


def _beams(found, treebanks):
    return [
        {
            "treebank": TREEBANKS[name],
            "order": system.partition(", ")[0],
            "α": system.partition(", ")[2],
            "active, %": value["active"],
            "coverage, %": value["coverage"],
            "the same on train": value["train coverage"],
            "lost to unseen spines, %": value["unseen"],
            "gold spines seen, %": value["spines"],
            "oracle F1": value["oracle"],
            "sentences/s": len(treebanks[name].dev) / value["parsing seconds"],
            "F1": value["F1"],
        }
        for name, system, value in _rows(found, NAMES)
        if "coverage" in value
    ]


def _paper_beam(row):
    columns = ("α", "active, %", "coverage, %", "oracle F1", "sentences/s", "F1")
    return dict(zip(columns, row, strict=True))
