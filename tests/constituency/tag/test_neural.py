"""Derivations scored by a network with random weights, against the definitions written down in the plainest way."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from treewright import ConstituentOptions, ConstituentParser, ModelError, Sentence
from treewright.constituency.spines import build_tree
from treewright.constituency.tag import search
from treewright.constituency.tag.links import sort_links
from treewright.constituency.tag.material import Material
from treewright.constituency.tag.neural import (
    MOST_SPINES,
    SHARE,
    UNSEEN,
    NeuralLinkPruner,
    NeuralTagScorer,
    to_dependencies,
)
from treewright.constituency.tag.problem import joins_of_gold, relations_of
from treewright.constituency.tag.space import Space
from treewright.inference import Trees
from treewright.neural.network import Network
from treewright.neural.parameters import parameters
from treewright.neural.settings import NetworkSettings
from treewright.neural.tagger import NeuralTagger
from treewright.neural.words import WordInputs
from treewright.parsing.progress import Reporter


@pytest.fixture(scope="module")
def material(trees):
    short = [tree for tree in trees if 2 <= len(tree) <= 9]
    return Material.of(short, ConstituentOptions(tags="gold"), Reporter()), short


@pytest.fixture(scope="module")
def scorer(material):
    """A scorer that has not seen the relations and spines of the last two trees."""
    known, _ = material
    pairs = zip(known.sentences[:-2], known.gold[:-2], strict=True)
    sentences = [to_dependencies(sentence, known.automata, gold) for sentence, gold in pairs]
    sizes = {"width": 32, "layers": 1, "heads": 2, "arc": 12, "label": 8, "tag_width": 16}
    settings = NetworkSettings.of(sentences, **sizes)
    inputs = WordInputs.of(Counter(form for one in known.sentences for form in one.forms))
    rng = np.random.default_rng(3)
    weights = {
        name: rng.normal(size=shape).astype(np.float32) / np.float32(np.sqrt(shape[0]) if len(shape) > 1 else 1)
        for name, shape in parameters(settings, inputs.size).items()
    }
    return NeuralTagScorer(Network.quantized(settings, inputs, weights), known.automata)


@pytest.fixture(scope="module")
def parser(scorer):
    return ConstituentParser(scorer, NeuralLinkPruner.of(scorer, 1e-3), NeuralTagger(scorer.network), {})


def log_softmax(row):
    return row - np.logaddexp.reduce(row.astype(np.float64))


def names_of(automata, place, adjunction):
    first, second = automata.places[place]
    return f"{automata.labels[first]} {automata.labels[second]} {'sr'[adjunction]}"


def log_spine(scorer, sentence, word, spine):
    """Look the log-probability of a spine up by its name."""
    names = list(scorer.network.settings.columns["feats"])
    name = str(scorer.automata.grammar.spines[spine])
    logs = log_softmax(scorer.network.encode(sentence.forms).columns["feats"][word - 1])
    return logs[names.index(name)] if name in names else UNSEEN


def log_relation(scorer, sentence, h, m, place, adjunction):
    names, name = list(scorer.network.settings.labels), names_of(scorer.automata, place, adjunction)
    logs = scorer.network.encode(sentence.forms).label(np.array([[h, m]]))[0]
    return float(logs[names.index(name)]) if name in names else UNSEEN


def test_a_derivation_is_a_dependency_tree_with_relations_and_spines(material):
    known, trees = material
    for tree, sentence, gold in zip(trees, known.sentences, known.gold, strict=True):
        written = to_dependencies(sentence, known.automata, gold)
        assert written.heads.tolist() == gold.links.heads.tolist()
        assert list(written.feats) == [str(known.automata.grammar.spines[spine]) for spine in gold.spines]
        assert list(written.xpos) == list(tree.tags)
        for name, (first, second, _) in zip(written.deprels, relations_of(known.automata, gold), strict=True):
            assert name.split()[:2] == [first, second]


def test_the_score_of_a_derivation_is_that_of_its_spines_and_dependencies(scorer, material):
    known, _ = material
    for sentence, gold in zip(known.sentences, known.gold, strict=True):  # those of the last two trees are unseen
        choices = scorer.dictionary.choices_of([[spine] for spine in gold.spines.tolist()])
        space = Space.of(known.automata.tables, choices.senses, sort_links(gold.links), second=False)
        scores = scorer.score(sentence, space)
        joins = joins_of_gold(space, gold)
        arc = scorer.network.encode(sentence.forms).arc
        expected = sum(log_spine(scorer, sentence, w, spine) for w, spine in enumerate(gold.spines.tolist(), 1))
        for h, m, place, _, adjunction in zip(*(column.tolist() for column in gold.links), strict=True):
            expected += arc[h, m] + log_relation(scorer, sentence, h, m, place, adjunction)
        assert scores[space.parts_of(joins)].sum() == pytest.approx(expected, abs=1e-4)
        if sum(len(known.automata.grammar.spines[spine]) > 0 for spine in gold.spines.tolist()) == 1:
            assert search.best(space, scores)[0] == pytest.approx(expected, abs=1e-4)


def test_words_have_the_spines_that_are_probable_enough(scorer, material):
    known, _ = material
    for sentence in known.sentences[:5]:
        senses = scorer.choices(sentence).senses
        for word in range(1, len(sentence) + 1):
            own = senses.spines[senses.starts[word] : senses.starts[word + 1]].tolist()
            logs = [log_spine(scorer, sentence, word, spine) for spine in range(len(known.automata.grammar.spines))]
            order = sorted(range(len(logs)), key=lambda spine: -logs[spine])[:MOST_SPINES]
            assert set(own) == {spine for spine in order if logs[spine] >= logs[order[0]] + math.log(SHARE)}
        spare = scorer.choices(sentence, spare=True).senses
        assert all(
            scorer.dictionary.spare(1)[0] in spare.spines[a:b] for a, b in itertools.pairwise(spare.starts[1:].tolist())
        )


@pytest.mark.parametrize("beam", [0.3, 1e-2, 0.0])
def test_links_survive_that_are_probable_enough(scorer, material, beam):
    """By the definition: arcs, relations and tops by their probabilities, beside the best of the same modifier."""
    known, _ = material
    pruner, tables, automata = NeuralLinkPruner.of(scorer, beam), known.automata.tables, known.automata
    for sentence in known.sentences[:4]:
        choices = scorer.choices(sentence)
        senses, n = choices.senses, len(sentence)
        own = [senses.spines[a:b].tolist() for a, b in itertools.pairwise(senses.starts.tolist())]
        arcs = pruner.arcs.stages[0].probabilities(sentence)
        allowed, products = pruner.arcs.allowed(sentence), {}
        for h, m in itertools.product(range(n + 1), range(1, n + 1)):
            if h == m or not allowed[h, m]:
                continue
            tops = Counter()
            for spine in own[m]:
                tops[int(tables.tops[spine])] += math.exp(log_spine(scorer, sentence, m, spine))
            places = {int(place) for spine in own[h] for place in _places(tables, spine) if place >= 0}
            for place, (top, share) in itertools.product(places, tops.items()):
                first, second = automata.places[place]
                for adjunction in range(2 if first == second else 1):
                    relation = math.exp(log_relation(scorer, sentence, h, m, place, adjunction))
                    products[h, m, place, top, adjunction] = arcs[h, m] * relation * share
        best = [max((p for row, p in products.items() if row[1] == m), default=0.0) for m in range(n + 1)]
        sure = {row for row, p in products.items() if p >= beam * best[row[1]] * (1 + 1e-3)}
        possible = {row for row, p in products.items() if p >= beam * best[row[1]] * (1 - 1e-3)}
        found = set(zip(*(column.tolist() for column in pruner.links(sentence, choices)), strict=True))
        assert sure <= found <= possible


def _places(tables, spine):
    return tables.places[tables.starts[spine] : tables.starts[spine + 1]].tolist()


def test_there_always_is_a_tree_and_k_best_come_in_order(parser, material):
    for sentence in [*material[0].sentences[:6], Sentence.from_forms(["?"]), Sentence.from_forms(list("abcdefgh"))]:
        found = parser.k_best(sentence, 5)
        assert found[0].tree == parser.parse_sentence(sentence)
        assert list(found[0].tree.words) == list(sentence.forms)
        logs = [one.log_probability for one in found]
        assert logs == sorted(logs, reverse=True)
        assert sum(map(math.exp, logs)) <= 1 + 1e-9


def test_where_nothing_survives_the_best_dependency_tree_is_filled_in(parser, material, monkeypatch):
    sentence = material[0].sentences[0]

    def one_link(self, sentence, choices, beam=None):
        return type(links)(*(column[:1] for column in links))

    links = parser.pruner.links_of_best_tree(sentence, parser.scorer.choices(sentence))
    monkeypatch.setattr(NeuralLinkPruner, "links", one_link)
    assert list(parser.parse_sentence(sentence).words) == list(sentence.forms)


def test_a_parser_with_a_network_is_saved_and_opened(parser, material, tmp_path):
    parser.save(tmp_path / "neural.tw")
    opened = ConstituentParser.open(tmp_path / "neural.tw")
    for sentence in material[0].sentences:
        assert opened.parse_sentence(sentence) == parser.parse_sentence(sentence)
    assert opened.pruner.beam == parser.pruner.beam
    assert [stage.trees for stage in opened.pruner.arcs.stages] == [Trees()]


def test_a_network_that_is_not_for_the_grammar_is_refused(parser, tmp_path, monkeypatch):
    settings = replace(parser.scorer.network.settings, labels=[])
    monkeypatch.setattr(parser.scorer.network, "settings", settings)
    parser.save(tmp_path / "damaged.tw")
    with pytest.raises(ModelError):
        ConstituentParser.open(tmp_path / "damaged.tw")


def test_trees_are_built_from_the_best_derivation(parser, material):
    sentence = material[0].sentences[1]
    space, scores, tree = parser.explore(sentence)
    _, joins = search.best(space, scores)
    assert build_tree(space.derivation(sentence.replace(xpos=tree.tags), joins), parser._table) == tree
