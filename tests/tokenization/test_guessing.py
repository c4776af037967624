"""Which language a text is in."""

import itertools

import pytest

from tests.paths import DATA, TREEBANKS
from treewright.tokenization import differs, guess_language, tokenize
from treewright.treebank import read

GERMAN = (
    "Der Hund hat die ganze Nacht gebellt, und die Nachbarn waren nicht sehr froh. Sie haben sich bei dem Mann auf der "
    "anderen Seite der Straße beschwert, aber er war nicht zu Hause."
)

#: The folders of treebanks, by language.
FOLDERS = {
    "af": "ud/afrikaans-afribooms",
    "ar": "ud-devsplit/arabic-padt",
    "cs": "ud/czech-cltt",
    "da": "ud-devsplit/danish-ddt",
    "de": "ud-devsplit/german-gsd",
    "en": "ud/english-gum",
    "es": "ud-devsplit/spanish-gsd",
    "eu": "ud/basque-bdt",
    "fi": "ud-devsplit/finnish-tdt",
    "fr": "ud/french-sequoia",
    "ga": "ud/irish-idt",
    "gd": "ud/scottish-gaelic-arcosg",
    "got": "ud/gothic-proiel",
    "hr": "ud-devsplit/croatian-set",
    "hu": "ud/hungarian-szeged",
    "ja": "ud/japanese-gsd",
    "ko": "ud/korean-gsd",
    "lt": "ud/lithuanian-alksnis",
    "nl": "ud-devsplit/dutch-alpino",
    "pt": "ud/portuguese-bosque",
    "ru": "ud/russian-taiga",
    "sk": "ud-devsplit/slovak-snk",
    "sl": "ud-devsplit/slovenian-ssj",
    "sv": "ud/swedish-talbanken",
    "tr": "ud-devsplit/turkish-boun",
    "zh": "ud/chinese-gsd",
}


def test_german_is_not_english():
    words = [word for sentence in tokenize(GERMAN, "en") for word in sentence.forms]
    assert guess_language(words) == "de"
    assert differs(words, "en-GB") == "German"
    assert differs(words, "de-AT") == differs(words, "nds") == differs(words, "") == ""


@pytest.mark.parametrize("words", [[], GERMAN.split()[:8], ["der"] * 11, ["Berlin"] * 300, list("0123456789") * 30])
def test_of_few_words_or_names_nothing_is_said(words):
    assert guess_language(words) == ""


def test_words_may_have_counts():
    assert guess_language({"der": 5, "und": 5, "nicht": 5, "Haus": 9}) == "de"


def test_english_is_never_taken_for_anything_else():
    words = [word for sentence in read(DATA / "ewt.conllu") for word in sentence.forms]
    for size in (20, 50, 200):
        assert {guess_language(words[at : at + size]) for at in range(0, len(words), size)} <= {"en", ""}


@pytest.mark.skipif(not TREEBANKS.is_dir(), reason="there are no treebanks here")
@pytest.mark.parametrize("code", FOLDERS)
def test_languages_are_told_apart(code):
    sentences = itertools.islice(read(TREEBANKS / FOLDERS[code] / "dev.conllu.gz"), 150)
    text = "\n\n".join(sentence.text or " ".join(sentence.forms) for sentence in sentences)
    words = [word for sentence in tokenize(text, "en") for word in sentence.forms]
    pieces = [guess_language(words[at : at + 300]) for at in range(0, len(words) - 299, 300)]
    assert set(pieces) <= {code, ""}
    assert pieces.count(code) >= 0.8 * len(pieces) > 0
