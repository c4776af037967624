#!/usr/bin/env python3
"""Learn irregular forms and their lemmas from a treebank: scripts/learn_irregular_forms.py train.conllu.gz.

WordNet detaches endings, and has lists of exceptions for forms such as *said* and *children*, which do not come with a
table of supersenses.  Here a form is irregular if no ending that is detached leaves the lemma that annotators gave it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict

from treewright.reranking.hidden.supersenses import IRREGULAR, detach, part_of_speech
from treewright.treebank import read

HEADER = """\
# Irregular forms, their parts of speech (n, v, a, r) and their lemmas, by scripts/learn_irregular_forms.py.
# From the lemmas of Universal Dependencies English EWT, training set: the English Web Treebank, annotated by Natalia
# Silveira, Timothy Dozat, Christopher Manning, Nathan Schneider, Ethan Chi, John Bauer, Miriam Connor, Marie-Catherine
# de Marneffe, Sebastian Schuster, Sam Bowman, Amir Zeldes, Daniel Zeman and others; CC BY-SA 4.0, as is this file.
"""

WORD = re.compile("'?[a-z]+|n't")


#: Typing errors, abbreviations, and words that are written as they are pronounced, or foreign, or no longer used.
UNUSUAL = re.compile("Typo=|Abbr=|Style=|Foreign=|CorrectForm=")


def main(path: str) -> None:
    """Read a treebank, and write the table."""
    seen: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sentence in read(path):
        columns = sentence.forms, sentence.lemmas, sentence.xpos, sentence.feats, sentence.misc
        for form, lemma, tag, feats, misc in zip(*columns, strict=True):
            part = part_of_speech(tag)
            if part and not tag.startswith("NNP") and not UNUSUAL.search(f"{feats}|{misc}"):
                seen[form.lower(), part][lemma.lower()] += 1
    lines = []
    for (form, part), lemmas in sorted(seen.items()):
        [(lemma, _)] = lemmas.most_common(1)
        if WORD.fullmatch(form) and WORD.fullmatch(lemma) and lemma not in detach(form, part):
            lines.append(f"{form}\t{part}\t{lemma}\n")
    IRREGULAR.write_text(HEADER + "".join(lines), encoding="utf-8")
    print(f"{IRREGULAR}: {len(lines)} forms")


if __name__ == "__main__":
    main(sys.argv[1])
