"""Dictionaries in the shape of Stanza's documents, and the documents of Stanza itself, where it is installed."""

import json

import pytest
from hypothesis import given

from tests.paths import DATA
from tests.treebank.conllu.strategies import sentences
from treewright.errors import UsageError
from treewright.integrations.stanza import from_dicts, to_dicts
from treewright.tokenization import tokenize
from treewright.treebank import format_sentence, read

#: What Stanza 1.10 says of "Aren't you?", with entities.
DOCUMENT = [
    [
        {"id": (1, 2), "text": "Aren't", "start_char": 0, "end_char": 6, "ner": "O", "multi_ner": ("O",)},
        {
            "id": 1,
            "text": "Are",
            "lemma": "be",
            "upos": "AUX",
            "xpos": "VBP",
            "feats": "Mood=Ind",
            "head": 0,
            "deprel": "root",
        },
        {"id": 2, "text": "n't", "lemma": "not", "upos": "PART", "xpos": "RB", "head": 1, "deprel": "advmod"},
        {
            **{"id": 3, "text": "you", "lemma": "you", "upos": "PRON", "xpos": "PRP", "head": 1, "deprel": "nsubj"},
            **{"start_char": 7, "end_char": 10, "ner": "S-PERSON", "misc": "SpaceAfter=No"},
        },
        {"id": 4, "text": "?", "head": 1, "deprel": "punct", "start_char": 10, "end_char": 11},
    ]
]


def test_a_document_of_stanza():
    [sentence] = from_dicts(DOCUMENT)
    assert sentence.forms == ["Are", "n't", "you", "?"]
    assert sentence.heads.tolist() == [0, 1, 1, 1]
    assert sentence.lemmas == ["be", "not", "you", "_"]
    assert sentence.ranges.tolist() == [[0, 6], [0, 6], [7, 10], [10, 11]]
    assert sentence.misc[2] == "SpaceAfter=No|ner=S-PERSON"
    assert sentence.asides[0][0] == 0
    assert sentence.asides[0][1].split("\t")[:2] == ["1-2", "Aren't"]
    [[token, *words]] = to_dicts(sentence)
    assert (token["id"], token["text"], token["start_char"], token["end_char"]) == ((1, 2), "Aren't", 0, 6)
    assert words[0] == DOCUMENT[0][1]
    assert words[3] == DOCUMENT[0][4]


@pytest.mark.parametrize("name", ["ewt.conllu", "alksnis.conllu"])
def test_documents_of_the_real_library(name):
    """Stanza keeps everything, but may change the order of entries in MISC."""

    def sorted_misc(sentence):
        return format_sentence(sentence.replace(misc=["|".join(sorted(misc.split("|"))) for misc in sentence.misc]))

    documents = pytest.importorskip("stanza.models.common.doc", reason="Stanza is not installed: pip install stanza")
    sentences = list(read(DATA / name))
    document = documents.Document(to_dicts(sentences))
    assert document.num_words == sum(map(len, sentences))
    for one, back in zip(sentences, from_dicts(document.to_dict()), strict=True):
        assert sorted_misc(back) == sorted_misc(held(one))


def test_json_is_the_same():
    assert format_sentence(*from_dicts(json.loads(json.dumps(DOCUMENT)))) == format_sentence(*from_dicts(DOCUMENT))


def held(sentence):
    """What dictionaries have a place for."""
    asides = []
    for place, line in sentence.asides:
        name, form, *_, misc = line.split("\t")
        if "-" in name:
            asides.append((place, "\t".join([name, form, *"_______", misc])))
    return sentence.replace(comments=[], asides=asides)


@given(sentences())
def test_there_and_back(sentence):
    described = to_dicts(sentence)
    assert all("_" not in [value for name, value in one.items() if name != "text"] for one in described[0])
    assert format_sentence(*from_dicts(described)) == format_sentence(held(sentence))


def test_places_in_the_text():
    sentences = list(tokenize("Don't go. They won't."))
    again = from_dicts(to_dicts(sentences))
    assert [one.ranges.tolist() for one in again] == [one.ranges.tolist() for one in sentences]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([{"id": 2, "text": "a"}], "sentence 1 has word 2 where word 1 was expected"),
        ([{"id": "x", "text": "a"}], "the id 'x'"),
        ([{"text": "a"}], "the id None"),
        ([{"id": 1, "text": "a", "head": 1}], "do not form a tree"),
        ([{"id": 1, "text": "a", "head": 7}], "do not form a tree"),
    ],
)
def test_what_is_no_sentence_is_refused(words, message):
    with pytest.raises(UsageError, match=message):
        from_dicts([words])
