#!/usr/bin/env python3
"""Learn to tell languages from treebanks: scripts/learn_languages.py DATA, the folder with ``ud`` and ``ud-devsplit``.

Writes the table of `treewright.tokenization.identification`, and prints how many sentences of the dev sets, alone
and by twos, are told right, how many are told for sure, and how many of those are wrong.  The languages that the table
may not learn are measured, too, if their treebanks are there.
"""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treewright.tokenization import guess_language, tokenize_words
from treewright.tokenization.identification import BITS, TABLE, hash_ngrams, identify_language
from treewright.tokenization.identification import _letters as letters_of
from treewright.treebank import read

#: Treebanks that are CC BY-SA; languages.SOURCES.md credits them.
TREEBANKS = {
    "af": ["ud/afrikaans-afribooms"],
    "cs": ["ud/czech-cltt", "ud-devsplit/czech-cac"],
    "da": ["ud-devsplit/danish-ddt"],
    "de": ["ud-devsplit/german-gsd"],
    "en": ["ud/english-ewt"],
    "es": ["ud-devsplit/spanish-gsd"],
    "fi": ["ud-devsplit/finnish-tdt"],
    "ga": ["ud/irish-idt"],
    "gd": ["ud/scottish-gaelic-arcosg"],
    "hr": ["ud-devsplit/croatian-set"],
    "ja": ["ud/japanese-gsd"],
    "ko": ["ud/korean-gsd"],
    "lt": ["ud/lithuanian-alksnis"],
    "nl": ["ud-devsplit/dutch-lassysmall", "ud-devsplit/dutch-alpino"],
    "pt": ["ud/portuguese-bosque"],
    "ru": ["ud/russian-taiga"],
    "sk": ["ud-devsplit/slovak-snk"],
    "sl": ["ud-devsplit/slovenian-ssj"],
    "sv": ["ud/swedish-talbanken"],
    "tr": ["ud-devsplit/turkish-boun"],
    "zh": ["ud-devsplit/chinese-gsd"],
}

#: Treebanks under other licences, for languages that are told by their function words: only measured.
UNTAUGHT = {
    "ar": ["ud-devsplit/arabic-padt"],
    "eu": ["ud/basque-bdt"],
    "fr": ["ud/french-sequoia"],
    "got": ["ud/gothic-proiel"],
    "hu": ["ud/hungarian-szeged"],
}

#: How many n-grams are added to those of a language, as frequent as in all.
PRIOR = 1e4

#: The logarithms are rounded to multiples of this; it makes no difference that can be measured, and half the size.
STEP = 0.16

#: About how many characters of a language are read: of large treebanks every other sentence, or fewer.
CHARACTERS = 400_000

#: How many sentences of a dev set are judged.
JUDGED = 300


def main(data: Path) -> None:
    """Make the table, and measure how good it is."""
    counts = np.stack([_count(texts(data, folders, "train")) for folders in TREEBANKS.values()], axis=1)
    totals = counts.sum(0)
    common = (counts / totals).mean(1, keepdims=True)
    logarithms = np.log((counts + PRIOR * common) / (totals + PRIOR) + 1e-9 / 2**BITS)
    scores = np.clip(np.round((logarithms - logarithms.mean(1, keepdims=True)) / STEP), -127, 127).astype(np.int8)
    np.savez_compressed(TABLE, languages=np.array([*TREEBANKS]), scores=scores, step=np.float64(STEP))
    print(f"{TABLE.name}: {len(TREEBANKS)} languages, {TABLE.stat().st_size:,} bytes\n")
    print("language  right  wrong if sure  sure | by twos: right  wrong if sure  sure | guess_language: right  by twos")
    judged = {
        code: [_judge(data, code, folders, n) for n in (1, 2)]
        for code, folders in {**TREEBANKS, **UNTAUGHT}.items()
        if all((data / folder).is_dir() for folder in folders)
    }
    for code, rows in judged.items():
        _print(code, rows)
    _print("mean", [np.mean([rows[n] for code, rows in judged.items() if code in TREEBANKS], axis=0) for n in (0, 1)])
    _print_speed(data)


def texts(data: Path, folders: list[str], part: str) -> list[str]:
    """Read the sentences of treebanks."""
    found = []
    for folder in folders:
        sentences = read(data / folder / f"{part}.conllu.gz")
        found += [sentence.text or " ".join(sentence.forms) for sentence in sentences]
    return found


def _count(sentences: list[str]) -> npt.NDArray[np.float64]:
    every = max(1, sum(map(len, sentences)) // CHARACTERS)
    counts = np.zeros(2**BITS)
    for sentence in sentences[::every]:
        counts += np.bincount(hash_ngrams(letters_of(sentence)), minlength=len(counts))
    return counts


def _judge(data: Path, code: str, folders: list[str], number: int) -> list[float]:
    """Measure, in percent: right, wrong of those that are sure, sure; right by `guess_language`."""
    sentences = list(islice(texts(data, folders, "dev"), JUDGED))
    sentences = [" ".join(sentences[i : i + number]) for i in range(0, len(sentences) - number + 1, number)]
    guesses = [identify_language(sentence) for sentence in sentences]
    right = [guess.language == code for guess in guesses]
    sure = [guess.is_sure for guess in guesses]
    wrong = [is_sure and not is_right for is_sure, is_right in zip(sure, right, strict=True)]
    words = ([word for token in tokenize_words(sentence, "en") for word in token.words] for sentence in sentences)
    by_lists = [guess_language(one) == code for one in words]
    shares = np.mean(right), sum(wrong) / max(sum(sure), 1), np.mean(sure), np.mean(by_lists)
    return [100 * float(share) for share in shares]


def _print(name: str, rows: list[list[float]]) -> None:
    (right, wrong, sure, old), (right2, wrong2, sure2, old2) = rows
    print(
        f"{name:8}  {right:5.1f}  {wrong:13.1f}  {sure:4.0f} | {right2:14.1f}  {wrong2:13.1f}  {sure2:4.0f} | "
        f"{old:21.1f}  {old2:7.1f}"
    )


def _print_speed(data: Path) -> None:
    sentences = texts(data, TREEBANKS["en"], "dev")
    for number in (1, 5, 20):
        pieces = [" ".join(sentences[i : i + number]) for i in range(0, len(sentences), number)]
        start = time.perf_counter()
        for piece in pieces:
            identify_language(piece)
        seconds = time.perf_counter() - start
        print(f"English by {number} sentences: {sum(map(len, pieces)) / seconds / 1e6:.2f} MB/s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
