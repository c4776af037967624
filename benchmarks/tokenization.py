"""How good and how fast tokenization is, on the dev sets of Universal Dependencies.

Run as ``python benchmarks/tokenization.py [directory] [--split dev]``.  The directory (``../shared/data`` by
default) holds ``ud/<treebank>/dev.conllu.gz`` and ``ud-devsplit/<treebank>/dev.conllu.gz``; treebanks that
are not there are skipped.  The text is put together again from the ``# text`` comments: a space between
sentences, a blank line where ``# newpar`` or ``# newdoc`` says that a paragraph begins.

A token counts when its first and last character are right; the words of a multiword token when, besides,
they are spelled right; a sentence when its first and last character are right.
"""

import argparse
import gzip
import time
from pathlib import Path
from typing import NamedTuple

from treewright.tokenization import sentence_spans, tokenize, tokenize_words

TREEBANKS = {
    "ud/english-ewt": "en",
    "ud/english-gum": "en",
    "ud/portuguese-bosque": "pt",
    "ud-devsplit/spanish-gsd": "es",
    "ud/french-sequoia": "fr",
    "ud-devsplit/german-gsd": "de",
    "ud-devsplit/dutch-lassysmall": "nl",
    "ud-devsplit/danish-ddt": "da",
    "ud-devsplit/finnish-tdt": "fi",
    "ud/hungarian-szeged": "hu",
    "ud-devsplit/czech-cac": "cs",
    "ud-devsplit/croatian-set": "hr",
    "ud-devsplit/slovenian-ssj": "sl",
    "ud/lithuanian-alksnis": "lt",
    "ud/russian-taiga": "ru",
    "ud-devsplit/turkish-boun": "tr",
    "ud/irish-idt": "ga",
    "ud/scottish-gaelic-arcosg": "gd",
    "ud/afrikaans-afribooms": "af",
    "ud/korean-gsd": "ko",
    "ud/japanese-gsd": "ja",
    "ud-devsplit/chinese-gsd": "zh",
}


class Gold(NamedTuple):
    """A sentence of a treebank: its text, and each token with its words."""

    text: str
    starts_paragraph: bool
    tokens: list[tuple[str, list[str]]]


def read(path):
    text, starts, tokens, last = "", False, [], 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("# text ="):
                text = line[8:].strip()
            elif line.startswith(("# newpar", "# newdoc")):
                starts = True
            elif cells[0].isdigit():
                if int(cells[0]) > last:
                    tokens.append((cells[1], []))
                tokens[-1][1].append(cells[1])
            elif "-" in cells[0] and not line.startswith("#"):
                tokens.append((cells[1], []))
                last = int(cells[0].split("-")[1])
            elif not line.strip():
                yield Gold(text, starts, tokens)
                text, starts, tokens, last = "", False, [], 0


def gold_tokens(gold):
    """Give (start, end, words) of each token, or None where the text does not have the tokens."""
    found, position = [], 0
    for form, words in gold.tokens:
        start = gold.text.find(form, position)
        if start < 0 or gold.text[position:start].strip():
            return None
        position = start + len(form)
        found.append((start, position, words))
    return found


def words_of(tokens):
    return {
        (start, end, *((i, word) if len(words) > 1 else ()))
        for start, end, words in tokens
        for i, word in enumerate(words)
    }


class F1:
    """Harmonic mean of precision and recall, added up over sentences."""

    def __init__(self):
        self.right = self.total = 0

    def add(self, system, gold):
        """Count what the system found, what there is, and what is in both."""
        self.right += len(system & gold)
        self.total += len(system) + len(gold)

    def __str__(self):
        return f"{200 * self.right / max(self.total, 1):.2f}"


def filled_spans(text, spans):
    """Spans counted in characters that are not white space."""
    count, counts = 0, []
    for character in text:
        counts.append(count)
        count += not character.isspace()
    return {(counts[start], counts[end - 1] + 1) for start, end in spans}


def sentence_score(treebank, language):
    pieces, gold, position = [], [], 0
    for i, sentence in enumerate(treebank):
        gap = ("\n\n" if sentence.starts_paragraph else " ") if i else ""
        pieces += [gap, sentence.text]
        position += len(gap)
        gold.append((position, position + len(sentence.text)))
        position += len(sentence.text)
    text = "".join(pieces)
    score = F1()
    score.add(filled_spans(text, sentence_spans(text, language)), filled_spans(text, gold))
    return score, text


def speed(text, language, least=100_000):
    """Words in a second, from text to sentences, in one thread; a short text is read several times."""
    text = text + "\n\n" + text * (least * 5 // max(len(text), 1))
    start = time.process_time()
    words = sum(len(sentence) for sentence in tokenize(text, language))
    return words / (time.process_time() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", nargs="?", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", default="dev")
    arguments = parser.parse_args()
    print("| treebank | language | token F1 | word F1 | sentence F1 | words / s |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, language in TREEBANKS.items():
        path = arguments.directory / name / f"{arguments.split}.conllu.gz"
        if not path.exists():
            continue
        treebank = list(read(path))
        tokens, words = F1(), F1()
        for sentence in treebank:
            gold = gold_tokens(sentence)
            if gold is not None:
                system = tokenize_words(sentence.text, language)
                tokens.add({t[:2] for t in system}, {t[:2] for t in gold})
                words.add(words_of(system), words_of(gold))
        sentences, text = sentence_score(treebank, language)
        rate = speed(text, language) // 1000
        print(
            f"| {name.split('/')[1]} | {language} | {tokens} | {words} | {sentences} | {rate:.0f}k |",
            flush=True,
        )


if __name__ == "__main__":
    main()
