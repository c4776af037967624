"""One contract for all parsers: the same questions, answered alike."""

import inspect
import itertools
import json
import math
import pickle

import numpy as np
import pytest

import treewright
from tests.paths import DATA
from treewright.constituency.pcfg import Pcfg, train_pcfg
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.training import train_constituents
from treewright.errors import ModelError, UsageError
from treewright.execution import Threads
from treewright.model import Model
from treewright.parsing import ParsingOptions, TreeParser
from treewright.reranking import CandidatesBuilder, LinearReranker, Origin
from treewright.reranking.parser import RerankedParser
from treewright.treebank import Sentence, format_sentence, read_trees, simplify

WORDS = ["The", "mice", "sleep", "."]
TAGS = ["DT", "NNS", "VBP", "."]


def reranked(parser):
    """Let a reranker that knows no features choose: the best tree of the parser."""
    origin = Origin(parser.trees_found, "any", 4, ("rule",))
    return RerankedParser(
        parser, LinearReranker.of(CandidatesBuilder().build(), 1.0, np.zeros(0), {"origin": origin.to_dict()})
    )


@pytest.fixture(scope="module")
def parsers(text_parser, log_linear_parser):
    trees = [simplify(tree) for tree in read_trees(DATA / "craft.mrg")]
    options = ConstituentOptions(order="first", epochs=1, folds=2, bits=18, threads=1)
    pcfg = train_pcfg(trees, vertical=1)
    return {
        "dependency": text_parser,
        "gold tags": log_linear_parser,
        "spines": train_constituents(trees[:30], trees[30:35], options, info={"language": "en"}),
        "pcfg": pcfg,
        "reranked dependencies": reranked(text_parser),
        "reranked constituents": reranked(pcfg),
    }


PARSERS = ["dependency", "gold tags", "spines", "pcfg", "reranked dependencies", "reranked constituents"]


@pytest.fixture(params=PARSERS)
def parser(request, parsers):
    return parsers[request.param]


@pytest.fixture
def sentence():
    return Sentence.from_forms(WORDS, upos=["DET", "NOUN", "VERB", "PUNCT"], xpos=TAGS)


def plain(tree):
    """Make trees comparable."""
    return format_sentence(tree) if isinstance(tree, Sentence) else str(tree)


def ranks(parser):
    return not isinstance(parser, RerankedParser)


def test_it_is_a_parser(parser):
    assert isinstance(parser, TreeParser)
    assert isinstance(parser, Model)
    assert parser.trees_found in ("dependencies", "constituents")
    assert parser.language == parser.info.get("language", "")


def test_all_ways_to_ask_for_the_best_tree_agree(parser, sentence):
    best = plain(parser.parse_sentence(sentence, keep_tags=parser.needs_tags))
    assert [best] == list(map(plain, parser.parse(sentence, keep_tags=parser.needs_tags)))
    for how in ({"threads": 1}, {"threads": 2}, {"executor": Threads(2)}):
        trees = parser.parse_all([sentence] * 3, keep_tags=parser.needs_tags, **how)
        assert list(map(plain, trees)) == [best] * 3


def test_the_k_best_come_in_order_with_probabilities(parser, sentence):
    keep = {"keep_tags": parser.needs_tags}
    if not ranks(parser):
        with pytest.raises(UsageError, match="chooses one tree"):
            parser.k_best(sentence, 2, **keep)
        return
    found = parser.k_best(sentence, 5, **keep)
    assert plain(found[0].tree) == plain(parser.parse_sentence(sentence, **keep))
    assert len({plain(ranked.tree) for ranked in found}) == len(found) == 5
    assert all(one.log_probability >= two.log_probability for one, two in itertools.pairwise(found))
    assert sum(ranked.probability for ranked in found) <= 1 + 1e-9
    assert [ranked.probability for ranked in found] == pytest.approx([math.exp(r.log_probability) for r in found])
    fewer = [ranked.tree for ranked in parser.k_best(sentence, 2, **keep)]
    assert list(map(plain, fewer)) == [plain(ranked.tree) for ranked in found[:2]]
    [listed] = parser.k_best_all([sentence], 5, threads=1, **keep)
    assert [plain(ranked.tree) for ranked in listed] == [plain(ranked.tree) for ranked in found]


def test_text_and_words_are_parsed(parser):
    if parser.needs_tags:
        with pytest.raises(UsageError, match="no tagger"):
            parser.parse(WORDS)
        return
    assert list(map(plain, parser.parse(WORDS))) == [plain(parser.parse_sentence(Sentence.from_forms(WORDS)))]
    assert len(parser.parse("The mice sleep. They eat.")) in (1, 2)  # a PCFG knows no language
    assert parser.parse("") == parser.parse([]) == []


def test_a_file_gives_the_same_parser(parser, sentence, tmp_path):
    path = tmp_path / "model.tw"
    parser.save(path)
    again = treewright.load(path)
    assert type(again) is type(parser)
    assert json.loads(json.dumps(parser.info)) == again.info
    assert again.identity == parser.identity
    keep = {"keep_tags": parser.needs_tags}
    assert plain(again.parse_sentence(sentence, **keep)) == plain(parser.parse_sentence(sentence, **keep))
    assert type(parser).open(path).identity == parser.identity


def test_files_of_other_kinds_are_refused(parsers, tmp_path):
    path = tmp_path / "model.tw"
    parsers["pcfg"].save(path)
    for cls in (treewright.Parser, treewright.ConstituentParser, RerankedParser):
        with pytest.raises(ModelError, match=r"model.tw is a PCFG; use: treewright constituents parse"):
            cls.open(path)
    assert isinstance(Pcfg.open(path), Pcfg)


def test_parsers_travel(parser, sentence):
    again = pickle.loads(pickle.dumps(parser))
    keep = {"keep_tags": parser.needs_tags}
    assert plain(again.parse_sentence(sentence, **keep)) == plain(parser.parse_sentence(sentence, **keep))


def test_long_sentences_are_refused(parser):
    base = parser.parser if isinstance(parser, RerankedParser) else parser
    long = Sentence.from_forms(["word"] * (base.MAX_WORDS + 1))
    with pytest.raises(UsageError, match="too long to parse"):
        parser.parse_sentence(long, keep_tags=True)


def test_sentences_without_words(parser):
    empty = Sentence.from_forms([])
    assert [len(tree) for tree in parser.parse_all([empty], threads=1)] == ([0] if parser.accepts(empty) else [])


def test_calling_a_parser_is_parsing_and_pipe_parses_many_texts(parsers):
    parser = parsers["dependency"]
    texts = ["The mice sleep. They eat.", "", WORDS, "Mice sleep."]
    one_by_one = [list(map(plain, parser.parse(text))) for text in texts]
    assert [list(map(plain, parser(text))) for text in texts] == one_by_one
    for threads in (1, 2):
        assert [list(map(plain, trees)) for trees in parser.pipe(texts, threads=threads)] == one_by_one
    [[tree]] = parser.pipe([WORDS], confidence=True)
    assert "Confidence=" in tree.misc[0]
    for text in ("The mice sleep.", b"The mice sleep.", Sentence.from_forms(WORDS)):
        with pytest.raises(TypeError, match="use parse"):
            parser.pipe(text)


@pytest.mark.parametrize("name", ["dependency", "gold tags"])
def test_several_sentences_are_parsed(parsers, sentence, name):
    parser = parsers[name]
    best = plain(parser.parse_sentence(sentence, keep_tags=parser.needs_tags))
    for sentences in ([sentence] * 2, (sentence, sentence), iter([sentence] * 2)):
        assert list(map(plain, parser.parse(sentences, keep_tags=parser.needs_tags))) == [best] * 2


def test_every_parser_knows_the_options_that_all_have_and_refuses_others(parsers, sentence):
    assert set(ParsingOptions.__annotations__) == keywords(treewright.Parser.parse_sentence)
    assert keywords(treewright.Parser.k_best) == {"labelled"}
    with pytest.raises(TypeError, match="fix_heads"):
        parsers["pcfg"].parse(sentence, fix_heads=True)


def keywords(method):
    return {name for name, one in inspect.signature(method).parameters.items() if one.kind is one.KEYWORD_ONLY}
