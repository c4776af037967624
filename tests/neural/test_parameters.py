import pytest

from treewright.inference.kinds import FACTORIZATIONS
from treewright.neural.parameters import count_parameters, encoder_parameters, parameters, roles
from treewright.neural.settings import NetworkSettings

COLUMNS = {"upos": ["X", "Y", "Z"], "lemma": ["a", "b"]}


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_roles_cover_their_columns_once(factorization):
    settings = NetworkSettings(factorization=factorization, labels=["a"])
    places = [range(place.start, place.stop) for place in roles(settings).values()]
    assert [column for place in places for column in place] == list(range(places[-1].stop))
    assert parameters(settings, 10)["roles"] == (256, places[-1].stop)


def test_every_word_of_a_part_has_a_role():
    settings = NetworkSettings(factorization="tri-sibling", rank=7)
    found = roles(settings)
    assert all(found[f"tri_sibling.{word}"].stop - found[f"tri_sibling.{word}"].start == 7 for word in "htsm")
    assert "none.tri_sibling" in parameters(settings, 10)
    assert "none.grandchild" not in parameters(settings, 10)


def test_what_is_not_predicted_has_no_parameters():
    bare, whole = NetworkSettings(), NetworkSettings(labels=["a", "b"], columns=COLUMNS)
    assert set(parameters(whole, 10)) - set(parameters(bare, 10)) == {
        *("label", "tags", "tags_bias", "upos", "upos_bias", "lemma", "lemma_bias"),
    }
    assert set(encoder_parameters(bare, 10)) < set(parameters(bare, 10))


def test_numbers_are_counted():
    assert count_parameters(encoder_parameters(NetworkSettings(), 0)) == 6 * (12 * 256**2 + 2 * 256) + 256
