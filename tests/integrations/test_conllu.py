"""Token lists of the library conllu."""

import pytest

from tests.paths import DATA
from treewright.errors import TreebankError, UsageError
from treewright.integrations.conllu import from_token_list, to_token_list
from treewright.treebank import Sentence, format_sentence, read

conllu = pytest.importorskip("conllu")


@pytest.mark.parametrize("name", ["ewt.conllu", "alksnis.conllu", "nonprojective.conllu"])
def test_treebanks_and_back(name):
    text = (DATA / name).read_text("utf-8")
    for sentence, theirs in zip(read(DATA / name), conllu.parse(text), strict=True):
        ours = to_token_list(sentence)
        assert ours == theirs
        assert ours.metadata == theirs.metadata
        again = from_token_list(ours)
        assert format_sentence(again) == theirs.serialize()
        comments = [line for line in sentence.comments if "=" in line or line == "# newpar"]  # the others it drops
        assert format_sentence(again) == format_sentence(sentence.replace(comments=comments))


def test_what_is_no_tree_is_refused():
    with pytest.raises(UsageError, match="without words"):
        to_token_list(Sentence.from_forms([]))
    tokens = to_token_list(Sentence.from_forms(["a", "b"], heads=[2, 0]))
    tokens[1]["head"] = 1
    with pytest.raises(TreebankError, match="cycle"):
        from_token_list(tokens)
    tokens[1]["head"] = 0
    tokens[0]["form"] = "a\n\nb"
    with pytest.raises((TreebankError, UsageError)):
        from_token_list(tokens)
