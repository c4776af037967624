from treewright.neural.columns import column_numbers, column_texts, column_values
from treewright.treebank import Sentence

SENTENCES = [
    Sentence.from_forms(["Dogs", "bark"], lemmas=["dog", "bark"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"]),
    Sentence.from_forms(["Cats", "are"], lemmas=["cat", "be"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"]),
    Sentence.from_forms(["Oh", "sit"], lemmas=["_", "sit"], upos=["INTJ", "_"]),
]


def test_values_are_listed_in_order():
    values = column_values(SENTENCES)
    assert values["upos"] == ["INTJ", "NOUN", "VERB"]
    assert values["feats"] == ["Number=Plur", "_"]
    assert "xpos" not in values


def test_scripts_seen_once_are_no_values():
    values = column_values(SENTENCES)
    assert values["lemma"] == sorted(
        [column_texts(SENTENCES[0], "lemma")[0], column_texts(SENTENCES[0], "lemma")[1]],
    )


def test_unknown_values_have_no_number():
    numbers = column_numbers(SENTENCES[2], column_values(SENTENCES))
    assert numbers["upos"].tolist() == [0, -1]
    assert numbers["lemma"][0] == -1
    assert numbers["lemma"][1] >= 0


def test_scripts_of_older_networks_are_found_by_what_they_do():
    older = {"lemma": ["!\tbe", "=\t0\t0\t\t", "l\t0\t1\t\t"]}
    assert column_numbers(SENTENCES[0], older)["lemma"].tolist() == [2, 1]
    assert column_numbers(SENTENCES[1], older)["lemma"].tolist() == [2, 0]
    assert column_numbers(SENTENCES[2], older)["lemma"].tolist() == [-1, 1]
