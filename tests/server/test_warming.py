"""Warming up: every model answers every question once, and says so only where something is compiled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from treewright import kernels
from treewright.dependency.parser import Parser
from treewright.inference import Trees
from treewright.server import warming
from treewright.server.warming import warm_up


@pytest.fixture
def marked(monkeypatch):
    """What has been compiled, as far as this test is concerned."""
    tasks = set()
    monkeypatch.setattr(kernels, "are_compiled", tasks.__contains__)
    monkeypatch.setattr(kernels, "mark_compiled", tasks.add)
    return tasks


def test_every_model_is_asked(text_parser, gold_parser, pcfg, marked, monkeypatch):
    asked = []
    for question in ("parse_sentence", "k_best", "head_probabilities"):
        whole = getattr(Parser, question)

        def noting(self, *arguments, whole=whole, question=question, **options):
            asked.append((self, question))
            return whole(self, *arguments, **options)

        monkeypatch.setattr(Parser, question, noting)
    said = []
    warm_up({"tiny": text_parser, "gold": gold_parser, "pcfg": pcfg}, said.append)
    for parser in (text_parser, gold_parser):
        assert {question for one, question in asked if one is parser} == {
            "parse_sentence",
            "k_best",
            "head_probabilities",
        }
    assert [line.split(",")[0] for line in said] == [f"Compiling for {name}" for name in ("tiny", "gold", "pcfg")]
    warm_up({"tiny": text_parser, "gold": gold_parser, "pcfg": pcfg}, said.append)
    assert len(said) == 3


def test_dual_decomposition_is_followed_by_the_model_that_is_used_for_it(text_parser, monkeypatch):
    followed = []
    monkeypatch.setattr(warming, "follow_dual", lambda parser, sentence, keep_tags: followed.append(parser))
    siblings = replace(text_parser, trees=Trees(True, True, "sibling"))
    warming.warm_up_dual({"tiny": text_parser, "siblings": siblings})
    assert followed == [siblings]
    warming.warm_up_dual({"tiny": text_parser})
    assert followed[1].info["name"] == "en-linear"


def test_models_without_probabilities_are_not_asked_for_any(text_parser, marked):
    hard = replace(text_parser, trees=Trees(projective=False, factorization="arc"))
    assert not replace(hard, trees=Trees(False, True, "sibling")).has_probabilities
    warm_up({"hard": hard})
    assert len(marked) == 1
