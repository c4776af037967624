import json
from dataclasses import asdict

import pytest

from treewright.errors import UsageError
from treewright.neural.settings import NetworkSettings
from treewright.treebank import Sentence


def test_settings_are_taken_from_a_treebank():
    sentences = [Sentence.from_forms(["a", "b"], upos=["X", "Y"], deprels=["root", "_"])]
    settings = NetworkSettings.of(sentences, width=32, heads=2)
    assert settings.labels == ["root"]
    assert settings.columns == {"upos": ["X", "Y"]}
    assert settings.head_width == 16
    assert NetworkSettings.of(sentences, labelled=False).labels == []


def test_settings_are_plain_data():
    settings = NetworkSettings(labels=["a"], columns={"upos": ["X", "Y"]})
    assert NetworkSettings(**json.loads(json.dumps(asdict(settings)))) == settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"width": 20}, "multiple of twice the heads"), ({"layers": 0}, "at least 1"), ({"factorization": "x"}, "choose")],
)
def test_settings_that_make_no_network_are_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        NetworkSettings(**wrong)
