"""Which language a text is in, by its letters."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import DATA, TREEBANKS
from tests.tokenization.test_guessing import FOLDERS
from treewright.tokenization import guess_language, identify_language
from treewright.tokenization.identification import BITS, TABLE, hash_ngrams, learned_languages
from treewright.treebank import read

SENTENCES = {
    "af": "Die hond het die hele nag geblaf en die bure was nie baie bly nie.",
    "ar": "هذا هو الكتاب الذي قرأته في المدرسة مع أصدقائي",
    "cs": "Pes štěkal celou noc a sousedé z toho nebyli příliš nadšeni.",
    "da": "Hunden gøede hele natten, og naboerne var ikke særlig glade for det.",
    "de": "Der Hund bellte die ganze Nacht.",
    "el": "Ο σκύλος γάβγιζε όλη τη νύχτα.",
    "en": "The dog barked all night long.",
    "es": "El perro ladró toda la noche y los vecinos no estaban contentos.",
    "fi": "Koira haukkui koko yön, eivätkä naapurit olleet kovin iloisia.",
    "fr": "Le chien a aboyé toute la nuit et les voisins ne sont pas contents.",
    "ga": "Bhí an madra ag tafann ar feadh na hoíche agus ní raibh na comharsana sásta.",
    "gd": "Bha an cù a' comhartaich fad na h-oidhche agus cha robh na nàbaidhean toilichte.",
    "he": "הכלב נבח כל הלילה",
    "hr": "Pas je lajao cijelu noć i susjedi nisu bili previše sretni.",
    "hu": "A kutya egész éjjel ugatott, és a szomszédok nem voltak nagyon boldogok.",
    "ja": "犬は一晩中吠えていた。",
    "ko": "개가 밤새도록 짖었다.",
    "lt": "Šuo lojo visą naktį, ir kaimynai nebuvo labai patenkinti.",
    "nl": "De hond blafte de hele nacht en de buren waren niet erg blij.",
    "pt": "O cachorro latiu a noite toda e os vizinhos não ficaram contentes.",
    "ru": "Собака лаяла всю ночь.",
    "sk": "Pes štekal celú noc a susedia z toho neboli veľmi nadšení.",
    "sl": "Pes je lajal vso noč in sosedje niso bili preveč veseli.",
    "sv": "Hunden skällde hela natten och grannarna var inte särskilt glada.",
    "tr": "Köpek bütün gece havladı ve komşular pek mutlu değildi.",
    "zh": "这只狗叫了一整夜。",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_single_sentences(language, text):
    assert identify_language(text).language == language
    assert identify_language(text.upper()).language == language


def test_of_hardly_anything_it_is_not_sure():
    assert identify_language("") == identify_language("12:30 – 14 €!") == ("", 0.0)
    assert identify_language("አማርኛ") == ("", 0.0)
    assert not identify_language("Rio Tinto").is_sure
    assert identify_language(SENTENCES["de"]).is_sure


def test_the_table_is_small():
    assert TABLE.stat().st_size < 300_000
    with np.load(TABLE) as arrays:
        assert arrays["scores"].shape == (2**BITS, len(learned_languages()))
        assert arrays["scores"].dtype == np.int8
    assert set(learned_languages()) == set(SENTENCES) - {"ar", "el", "fr", "he", "hu"}


def slowly(letters):
    """Hash every n-gram by itself, as the vectors do."""
    mask, codes = 2**32 - 1, list(map(ord, letters))
    yield from (((code >> 7) * 0x9E3779B1 + 0x85EBCA6B) & mask for code in codes)
    for n in range(1, 5):
        for i in range(len(codes) - n + 1):
            value = 0
            for code in codes[i : i + n]:
                value = (value + code) * 0x9E3779B1 & mask
                value ^= value >> 15
            yield value * 0xC2B2AE35 & mask


@given(st.text(max_size=12))
def test_ngrams_are_hashed_one_like_the_other(text):
    assert sorted(hash_ngrams(text).tolist()) == sorted(value >> (32 - BITS) for value in slowly(text))


@given(st.text() | st.text("abc дæß犬ㅏ\ud800 '\n"))
def test_any_text_has_an_answer(text):
    language, probability = identify_language(text)
    assert 0 <= probability <= 1 or math.isclose(probability, 1)
    assert (language == "") == (probability == 0)


def test_only_the_beginning_is_looked_at():
    text = f"{SENTENCES['de']} " * 200
    assert identify_language(text[:4000]) == identify_language(text + SENTENCES["fi"] * 1000)


@pytest.mark.parametrize(("name", "language"), [("ewt", "en"), ("alksnis", "lt")])
def test_sentences_of_treebanks(name, language):
    guesses = [identify_language(" ".join(sentence.forms)) for sentence in read(DATA / f"{name}.conllu")]
    assert np.mean([guess.language == language for guess in guesses]) > 0.9
    sure = [guess.language == language for guess in guesses if guess.is_sure]
    assert len(sure) > 0.8 * len(guesses)
    assert np.mean(sure) > 0.98


@pytest.mark.skipif(not TREEBANKS.is_dir(), reason="there are no treebanks here")
@pytest.mark.parametrize("language", FOLDERS)
def test_languages_are_told_apart(language):
    sentences = itertools.islice(read(TREEBANKS / FOLDERS[language] / "dev.conllu.gz"), 200)
    texts = [sentence.text or " ".join(sentence.forms) for sentence in sentences]
    pairs = [identify_language(" ".join(pair)) for pair in zip(texts[::2], texts[1::2], strict=False)]
    sure = [guess.language == language for guess in pairs if guess.is_sure]
    assert np.mean([guess.language == language for guess in pairs]) > (0.9 if language in learned_languages() else 0.6)
    assert np.mean(sure) > 0.9


def test_few_words_are_now_enough_for_a_clear_answer():
    words = [*SENTENCES["fi"].split(), "Talon", "edessä", "oli", "vanha", "puu"]
    assert guess_language(words) == "fi"
    assert guess_language(words[:6]) == ""
