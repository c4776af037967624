"""A few tokens of the other languages."""

import pytest

from treewright.tokenization import tokenize_words

CASES = [
    ("pt", "Ele mora no Brasil.", "Ele mora em+o Brasil ."),
    ("pt", "Trata-se da casa dele", "Trata+se de+a casa de+ele"),
    ("pt-BR", "na sexta-feira", "em+a sexta-feira"),
    ("fr", "L'homme du port", "L' homme de+le port"),
    ("fr", "qu’il va aujourd'hui", "qu’ il va aujourd'hui"),
    ("fr", "dit-il peut-être", "dit -il peut-être"),
    ("fr", "Au revoir", "À+le revoir"),
    ("es", "del río al mar", "de+el río a+el mar"),
    ("es", "encontrándose y convertirse", "encontrando+se y convertir+se"),
    ("es", "la parte norte", "la parte norte"),
    ("de", "Am 3. Oktober im Haus.", "An+dem 3. Oktober in+dem Haus ."),
    ("nl", "'t land- en tuinbouw", "'t land- en tuinbouw"),
    ("fi", "EU:n talous- ja", "EU:n talous- ja"),
    ("cs", "abychom šli", "aby+bychom šli"),
    ("ru", "Он сказал: «Да».", "Он сказал : « Да » ."),
    ("ru", "Привет)))", "Привет )))"),
    ("hi", "हिन्दी में किताब।", "हिन्दी में किताब ।"),
    ("ar", "مَرْحَبًا، يا عالم؟", "مَرْحَبًا ، يا عالم ؟"),
    ("he", "שלום, עולם.", "שלום , עולם ."),
    ("ko", "나는 학교에 간다.", "나는 학교에 간다 ."),
    ("ja", "私は東京に行った。", "私 は 東京 に 行っ た 。"),
    ("ja", "コーヒーを飲む", "コーヒー を 飲む"),
    ("zh", "他在北京。", "他 在 北京 。"),
    ("xx", "well-known l'eau", "well-known l'eau"),
]


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_tokens(language, text, expected):
    assert " ".join("+".join(token.words) for token in tokenize_words(text, language)) == expected


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "🇫🇷", "👍🏽", "❤️", "e\u0301te\u0301", "\u0301"])
def test_one_grapheme_or_word_is_one_token(text):
    assert [token.words for token in tokenize_words(text)] == [(text,)]


def test_emoji_are_tokens_of_their_own():
    assert [token.words[0] for token in tokenize_words("ok😀👍🏽!")] == ["ok", "😀", "👍🏽", "!"]
