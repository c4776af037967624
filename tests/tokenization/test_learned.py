"""What is learned from a treebank: the ends of sentences and tokens, and the words of tokens."""

import numpy as np
import pytest

from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.model import nest, part
from treewright.tokenization import Tokenizer, tokenize, train_tokenizer
from treewright.tokenization.learned.material import passages_of
from treewright.tokenization.learned.tokenizer import TRUST
from treewright.tokenization.learned.training import (
    CUT_BITS,
    THRESHOLD,
    THRESHOLDS,
    UNSPACED_CUT_BITS,
    CutProblem,
    EndProblem,
    best_threshold,
    sentences_found,
)
from treewright.treebank import Sentence


def found(text, tokenizer):
    return [" ".join(sentence.forms) for sentence in tokenize(text, tokenizer)]


def test_a_treebank_is_learned_by_heart(ewt, english):
    for passage in passages_of(ewt):
        own = list(english.split(passage.text))
        assert [[token[:2] for token in tokens] for tokens in own] == [
            [token[:2] for token in tokens] for tokens in passage.sentences
        ]


def test_words_without_spaces(unspaced):
    assert found("東京都が森林。木が木。", unspaced) == ["東京都 が 森林 。", "木 が 木 。"]


def test_tables_are_larger_where_there_are_no_spaces(unspaced, english):
    sizes = {len(one.cuts.values) for one in (unspaced, english)}
    assert sizes == {1 << UNSPACED_CUT_BITS, 1 << CUT_BITS}
    assert len(unspaced.ends.values) < len(english.ends.values)


def test_what_no_treebank_shows_is_left_to_the_rules(unspaced, english):
    for text in ("http://www.example.com/a?b=1,2", "who.me@example.org", "👩‍👩‍👧", ":-)", "1,234.50"):
        assert found(f"Look at {text} now", english) == [f"Look at {text} now"]
        assert text in found(f"木が {text} 木", unspaced)[0].split()


def spelled(*tokens, gaps=None):
    """Make a sentence of tokens, each with its words after a colon if there are several."""
    forms, asides = [], []
    for token in tokens:
        form, _, words = token.partition(":")
        if words:
            asides.append((len(forms), f"{len(forms) + 1}-{len(forms) + len(words.split('+'))}\t{form}" + "\t_" * 8))
        forms += words.split("+") if words else [form]
    return Sentence.from_forms(forms, asides=asides, comments=["# text = ..."])


CONTRACTIONS = [
    spelled("vejo", "na:em+a", "casa"),
    spelled("na:em+a", "rua", "vê-se:vê+se", "tudo"),
    spelled("Dá-se:Dá+se", "bem", "na:em+a", "rua"),
    spelled("viram", "na", "ontem"),
    spelled("deram", "na", "ontem"),
    spelled("ele", "faz", "tese"),
] * 4


def test_multiword_tokens_by_form_ending_and_context():
    tokenizer = train_tokenizer(CONTRACTIONS, language="xx")
    assert found("diz-se na casa", tokenizer) == ["diz se em a casa"]  # an ending, and a form before a noun
    assert found("NA RUA", tokenizer) == ["EM A RUA"]
    assert found("Na casa", tokenizer) == ["Em a casa"]
    assert found("viram na ontem", tokenizer) == ["viram na ontem"]  # what it is after a verb
    [sentence] = tokenize("Dá-se", tokenizer)
    assert sentence.asides[0][1].startswith("1-2\tDá-se\t")


def test_a_treebank_without_multiword_tokens_has_none():
    plain = [spelled("We", "cannot", "do", "it")] * 1_000
    assert found("We cannot do it", train_tokenizer(plain, language="en")) == ["We cannot do it"]
    assert found("We cannot do it", train_tokenizer(plain[:9], language="en")) == ["We cannot do it"]
    assert found("You gotta go", train_tokenizer(plain[:9], language="en")) == ["You got ta go"]  # by the rules


def test_spaces_are_guessed_where_a_treebank_does_not_say():
    forms = ['"', "Yes", "(", "no", ")", '"', ",", "he", "said", "."]
    [passage] = passages_of([Sentence.from_forms(forms)])
    assert passage.text == '"Yes (no)", he said.'
    assert [passage.text[a:b] for a, b, _ in passage.sentences[0]] == forms


def test_the_text_of_a_treebank_is_put_together_again(ewt):
    passages = list(passages_of(ewt))
    assert " ".join(passage.text for passage in passages) == " ".join(sentence.text for sentence in ewt)
    starts = sum(any(one.startswith(("# newdoc", "# newpar")) for one in sentence.comments) for sentence in ewt)
    assert len(passages) == max(starts, 1)
    for passage in passages:
        for token in (token for tokens in passage.sentences for token in tokens):
            assert token.is_multiword or token.words == (passage.text[token.start : token.end],)


def test_a_token_with_a_space_in_it_becomes_two():
    [passage] = passages_of([Sentence.from_forms(["20 000", "euros"])])
    assert [passage.text[a:b] for a, b, _ in passage.sentences[0]] == ["20", "000", "euros"]


@pytest.mark.parametrize("kind", [EndProblem, CutProblem])
def test_margins_are_those_of_the_features(ewt, kind):
    """The margin of a mistake is its features times the weights, whatever these are, and what the rules count."""
    problem = kind(list(passages_of(ewt)), "en", 12)
    values = np.random.default_rng(0).normal(size=problem.size).astype(np.float32)
    mistakes = [problem.mistake(index, Weights(values), 1.0) for index in range(len(problem))]
    assert sum(mistake is not None for mistake in mistakes) > 5
    for mistake in filter(None, mistakes):
        prior = mistake.margin - float(mistake.values @ values[mistake.places])
        assert abs(prior) <= TRUST * mistake.loss + 1e-3
        assert round(prior / TRUST, 3) % 2 == mistake.loss % 2  # for each decision the rules are right or wrong
        assert mistake.margin <= mistake.loss  # each decision that counts is within the cost


def test_the_same_seed_gives_the_same_tokenizer(ewt, english):
    again = train_tokenizer(ewt, language="en").describe()
    assert again[0] == english.describe()[0]
    assert all(np.array_equal(array, again[1][name]) for name, array in english.describe()[1].items())


def test_progress_is_reported(ewt):
    shares = []
    train_tokenizer(ewt[:5], language="en", on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_nothing_cannot_be_learned_from():
    with pytest.raises(UsageError, match="no sentences"):
        train_tokenizer([], language="en")


TEXT = "Mr. Brown didn't go to www.a.com. Why not? ok\n\nYes"


def test_a_tokenizer_is_restored_as_it_was(english):
    manifest, arrays = english.describe()
    again = Tokenizer.restore(manifest, part("tokenizer", nest("tokenizer", arrays)))
    assert list(again.split(TEXT)) == list(english.split(TEXT))


def test_a_damaged_description_is_refused(english):
    manifest, arrays = english.describe()
    for change in (
        {"features": 0},
        {"protected": -1},
        {"threshold": float("nan")},
        {"ends": {"scale": -1.0}},
        {"splits": {"language": "en", "table": {"a": []}, "endings": {}}},
        {"splits": {"language": "en", "table": {"a": [[""]]}, "endings": {}}},
        {"splits": {"language": "en", "table": {"a": ["ab"]}, "endings": {}}},
    ):
        with pytest.raises(ValueError, match="its "):
            Tokenizer.restore(manifest | change, arrays)
    for name, array in (("cuts", arrays["cuts"][:-1]), ("ends", arrays["ends"][:1]), ("cuts", arrays["cuts"] * 1.0)):
        with pytest.raises(ValueError, match="its"):
            Tokenizer.restore(manifest, arrays | {name: array})
    for missing in ({}, {"cuts": arrays["cuts"]}):
        with pytest.raises(KeyError):
            Tokenizer.restore(manifest, missing)


def test_another_threshold_is_chosen_where_a_treebank_can_tell():
    counts = np.array([[240, right] for right in (200, 200, 200, 231, 239, 200, 200, 200, 200, 200)])
    assert best_threshold(counts, 240) == THRESHOLDS[4] == -0.4
    counts[3:5, 1] = 230  # 30 more of 240 may be chance
    assert best_threshold(counts, 240) == THRESHOLD
    counts[:, 0] = 480  # F1 is a half as good
    counts[4, 1] = 240
    assert best_threshold(counts, 240) == THRESHOLD


def test_sentences_are_right_where_they_begin_and_end(ewt, english):
    passages, unsure = list(passages_of(ewt)), Weights.compress(english.ends.decoded() / 2)
    counts = sentences_found(passages, "en", unsure)
    for threshold, (number, right) in zip(THRESHOLDS.tolist(), counts.tolist(), strict=True):
        tokenizer, own, both = Tokenizer("en", unsure, english.cuts, threshold=threshold), 0, 0
        for passage in passages:
            gold = {(tokens[0].start, tokens[-1].end) for tokens in passage.sentences}
            spans = {(tokens[0].start, tokens[-1].end) for tokens in tokenizer.split(passage.text)}
            own, both = own + len(spans), both + len(spans & gold)
        assert (number, right) == (own, both)
    assert len({*counts[:, 1].tolist()}) > 2
