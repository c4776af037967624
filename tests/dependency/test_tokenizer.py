"""Parsers that carry a tokenizer."""

from dataclasses import replace

import pytest

import treewright
from treewright.dependency.parser import Parser
from treewright.tokenization import Rules, tokenize

TEXT = "Mr. Brown didn't sleep. why? www.a.com\n\nNo"


@pytest.fixture(scope="module")
def parser(text_parser, english):
    return replace(text_parser, tokenizer=english)


def forms(sentences):
    return [list(sentence.forms) for sentence in sentences]


def test_text_is_cut_as_was_learned(parser, english):
    assert parser.splitter is english
    assert forms(parser.parse(TEXT)) == forms(tokenize(TEXT, english))


def test_trees_point_back_into_the_text(parser):
    for tree in parser.parse(TEXT):
        assert len(tree.ranges) == len(tree)
        assert all(TEXT[a:b] for a, b in tree.ranges)
        if not tree.asides:
            assert [TEXT[a:b] for a, b in tree.ranges] == list(tree.forms)


def test_a_tokenizer_is_saved_with_its_parser(parser, tmp_path):
    parser.save(tmp_path / "model.tw")
    opened = treewright.load(tmp_path / "model.tw")
    assert list(opened.splitter.split(TEXT)) == list(parser.splitter.split(TEXT))
    opened.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "model.tw").read_bytes()


def test_models_without_one_follow_the_rules(text_parser):
    manifest, arrays = text_parser.describe()
    assert manifest.pop("tokenizer") is not None  # files of before have no such entry
    opened = Parser.restore(manifest, {name: array for name, array in arrays.items() if "tokenizer" not in name})
    assert opened.splitter == Rules(text_parser.language)
    assert forms(opened.parse(TEXT)) == forms(tokenize(TEXT, text_parser.language))
