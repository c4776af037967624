"""The tables of the paper, and what stands here beside them."""

from __future__ import annotations

import common
from treebanks import TREEBANKS

#: Table 1 of the paper: section 23 of the Penn Treebank, trained on sections 2 to 21.
PAPER_1 = [
    ("Charniak (2000)", 89.5, 89.6, 89.6),
    ("Collins (2000)", 89.9, 89.6, 89.8),
    ("Petrov and Klein (2007)", 90.2, 89.9, 90.1),
    ("Carreras, Collins and Koo (2008), second order", 91.4, 90.7, 91.1),
    ("the same, section 24", 91.1, 89.9, 90.5),
]
#: Table 2: sections 23 and 24.
PAPER_2 = [("KCC08 unlabelled", 92.0, 91.0), ("KCC08 labelled", 92.5, 91.7), ("this paper", 93.5, 92.5)]
#: Table 3: 1,699 development sentences; parsing time without that of the first stage.
PAPER_3 = [
    ("1e-4", 0.07, 97.7, 97.0, 1699 / 315, 91.1),
    ("1e-5", 0.16, 98.5, 97.9, 1699 / 705, 91.6),
    ("1e-6", 0.34, 99.0, 98.5, 1699 / 1310, 92.0),
]

NAMES = {
    "pcfg": "PCFG, unlexicalised",
    "first": "first order (Equation 2)",
    "second": "second order (Equation 3)",
    "first, 1e-5": "first order, α = 1e-5",
    "second, 1e-5": "second order, α = 1e-5",
    "second, 1e-6": "second order, α = 1e-6",
    "arc": "dependency parser, `arc`",
    "carreras": "dependency parser, `carreras`",
    "carreras, labelled": "dependency parser, `carreras`, labelled",
}
BEAMS = {"second": "1e-4", "second, 1e-5": "1e-5", "second, 1e-6": "1e-6"}


def report(found, treebanks) -> str:
    """Write all tables."""
    sections = [
        ("Treebanks", _treebanks(treebanks)),
        ("Table 1: brackets", _brackets(found)),
        ("Table 1 of the paper", [dict(zip(("", "precision", "recall", "F1"), row, strict=True)) for row in PAPER_1]),
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
    return [
        {
            "treebank": TREEBANKS[name],
            "system": NAMES[system],
            **{key: value[key] for key in ("precision", "recall", "F1", "exact", "crossing", "tags")},
        }
        for name, system, value in _rows(found, NAMES)
        if "F1" in value
    ]


def _tests(found):
    """Compare F1, sentence by sentence, and right heads."""
    rows = []
    for name in TREEBANKS:
        for better, worse, what in (
            ("first", "pcfg", "F1 of sentences"),
            ("second", "first", "F1 of sentences"),
            ("second, 1e-5", "first, 1e-5", "F1 of sentences"),
            ("second", "carreras", "correct heads"),
            ("second", "carreras, labelled", "correct heads"),
        ):
            if (name, better) in found and (name, worse) in found:
                pair = (found[name, system][what] for system in (better, worse))
                test = common.sign_test(*pair)
                title = "F1" if what == "F1 of sentences" else "heads"
                names = f"{NAMES[better]} against {NAMES[worse]}"
                rows.append({"treebank": TREEBANKS[name], "systems": names, "of": title, **test})
    return rows


def _dependencies(found):
    systems = ("arc", "carreras", "carreras, labelled", "pcfg", "first", "second")
    return [
        {"treebank": TREEBANKS[name], "system": NAMES[system], "UAS": value["UAS"]}
        for name, system, value in _rows(found, systems)
    ]


def _beams(found, treebanks):
    return [
        {
            "treebank": TREEBANKS[name],
            "α": BEAMS[system],
            "active, %": value["active"],
            "coverage, %": value["coverage"],
            "oracle F1": value["oracle"],
            "sentences/s": len(treebanks[name].dev) / value["parsing seconds"],
            "F1": value["F1"],
        }
        for name, system, value in _rows(found, BEAMS)
    ]


def _paper_beam(row):
    columns = ("α", "active, %", "coverage, %", "oracle F1", "sentences/s", "F1")
    return dict(zip(columns, row, strict=True))
