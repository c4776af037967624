"""Training a parser from a treebank."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.inference.enumeration import is_projective, is_single_root, is_tree
from treewright.dependency.cascade_training import report_pruning
from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.training import train_parser
from treewright.errors import UsageError
from treewright.evaluation import evaluate
from treewright.tokenization import text_of
from treewright.treebank import RawText, Sentence

QUICK = {"tags": "gold", "epochs": 2, "threads": 1}


@pytest.mark.parametrize("trees", ["projective", "nonprojective"])
@pytest.mark.parametrize("roots", ["single", "multi"])
def test_trees_are_of_the_kind_asked_for(alksnis, ewt, trees, roots):
    two_roots = [s.replace(heads=np.append(s.heads[:-1], 0)) for s in alksnis]
    parser = train_parser(
        two_roots, two_roots[:3], TrainingOptions(factorization="arc", trees=trees, roots=roots, **QUICK)
    )
    crossing = several = 0
    for sentence in parser.parse_all(alksnis + ewt, keep_tags=True, threads=1):
        heads = sentence.rooted_heads()
        assert is_tree(heads)
        assert is_projective(heads) or trees == "nonprojective"
        assert is_single_root(heads) or roots == "multi"
        crossing += not is_projective(heads)
        several += not is_single_root(heads)
    assert (crossing > 0) == (trees == "nonprojective")
    assert (several > 0) == (roots == "multi")


def test_the_perceptron_learns_too(ewt):
    options = TrainingOptions(factorization="arc", learner="perceptron", **QUICK | {"epochs": 8})
    parser = train_parser(ewt[:10], ewt[:10], options)
    assert parser.info["dev"]["LAS"] > 95
    assert parser.info["options"]["learner"] == "perceptron"


def test_the_largest_step_matters(ewt):
    weights = [
        train_parser(ewt[:5], ewt[5:8], TrainingOptions(factorization="arc", C=C, **QUICK)).scorer.weights
        for C in (0.01, 0.001)
    ]
    assert weights[0].scale > 2 * weights[1].scale


def model_bytes(sentences, path, **options) -> bytes:
    options = TrainingOptions(**{"factorization": "arc", "folds": 2, "epochs": 2, "threads": 1} | options)
    train_parser(sentences[:12], sentences[12:16], options, info={"name": "tiny"}).save(path)
    return path.read_bytes()


def test_the_same_seed_gives_the_same_file_on_any_number_of_threads(ewt, tmp_path):
    first = model_bytes(ewt, tmp_path / "m.tw")
    assert model_bytes(ewt, tmp_path / "m.tw") == first
    assert model_bytes(ewt, tmp_path / "m.tw", threads=2) == first
    assert model_bytes(ewt, tmp_path / "m.tw", seed=2) != first


def test_another_process_writes_the_same_file(ewt, tmp_path, request):
    data = str(request.config.rootpath / "tests" / "data" / "ewt.conllu")
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; from pathlib import Path; "
        "from tests.dependency.test_training import model_bytes; "
        f"from treewright import read; model_bytes(list(read({data!r})), Path({str(tmp_path / 'other.tw')!r}))"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"}, check=True)
    assert (tmp_path / "other.tw").read_bytes() == model_bytes(ewt, tmp_path / "m.tw")


def test_a_model_says_what_it_is(ewt, text_parser, gold_parser):
    info = text_parser.info
    assert info["name"] == "tiny"
    assert info["language"] == "en"
    assert info["trained on"] == {"sentences": 30, "words": sum(map(len, ewt[:30]))}
    assert info["options"]["tags"] == "predicted"
    assert info["options"]["threads"] is None  # it does not matter, so it is not noted
    assert 1 <= info["epoch"] <= 3
    assert list(info["dev"]) == ["LAS", "UAS", "UPOS", "XPOS", "FEATS", "LEMMAS"]
    assert list(gold_parser.info["dev"]) == ["LAS", "UAS"]


def test_a_model_is_scored_from_the_text_of_the_dev_set(ewt, text_parser, gold_parser):
    noted = text_parser.info["dev from raw text"]
    system = text_parser.parse(text_of(ewt[30:]))
    outcome = evaluate(ewt[30:], system)
    assert noted["LAS"] == pytest.approx(outcome.las.f1, abs=1e-3)
    assert noted["words"] == pytest.approx(outcome.segmentation["words"].f1, abs=1e-3)
    assert set(noted) >= {"tokens", "sentences", "UPOS", "LEMMAS", "CLAS", "MLAS", "BLEX"}
    assert "dev from raw text" not in gold_parser.info


def test_what_is_not_learned_is_left_to_rules_or_left_out(ewt):
    options = TrainingOptions(**QUICK | {"tags": "predicted", "folds": 2, "calibrate": "none", "factorization": "arc"})
    whole = train_parser(ewt[:8], ewt[8:10], options)
    bare = train_parser(ewt[:8], ewt[8:10], replace(options, without=("tokenizer", "lemmas")))
    assert whole.tokenizer is not None
    assert bare.tokenizer is None
    assert list(whole.tagger.names) == [*bare.tagger.names, "lemmas"]
    assert np.array_equal(whole.scorer.weights.values, bare.scorer.weights.values)


def test_smaller_tables_make_smaller_models(ewt):
    options = TrainingOptions(**QUICK | {"calibrate": "none", "factorization": "sibling"})
    sizes = [
        len(train_parser(ewt[:8], ewt[8:10], replace(options, bits=bits)).scorer.weights.values) for bits in (14, 15)
    ]
    assert sizes[0] < 2**16 < sizes[1]


def test_what_only_silver_trees_have_is_learned(ewt):
    chains = [one.replace(heads=range(len(one)), deprels=["chain"] * len(one)) for one in ewt[:20]]
    options = TrainingOptions(**QUICK | {"calibrate": "none", "factorization": "arc"})
    parser = train_parser(ewt[20:25], ewt[:5], options, silver=chains)
    assert "chain" in parser.scorer.labels
    found = parser.parse_sentence(chains[0], keep_tags=True)
    assert np.mean(found.heads == chains[0].heads) > 0.5
    assert parser.info["trained on"]["sentences"] == 25
    assert parser.info["trained on"]["of these silver"] == 20


def test_the_scores_noted_are_those_of_the_model(ewt, text_parser):
    """Those of the compressed weights, on the dev set, tagged by the model."""
    pairs = [
        (gold, found)
        for sentence, parsed in zip(ewt[30:], text_parser.parse_all(ewt[30:], threads=1), strict=True)
        for gold, found in zip(
            zip(sentence.heads, sentence.upos, strict=True), zip(parsed.heads, parsed.upos, strict=True), strict=True
        )
    ]
    assert text_parser.info["dev"]["UAS"] == pytest.approx(100 * np.mean([g[0] == f[0] for g, f in pairs]), abs=1e-3)
    lemmas = [s.lemmas for s in text_parser.parse_all(ewt[30:], threads=1)]
    right = [
        pair[0] == pair[1] for s, own in zip(ewt[30:], lemmas, strict=True) for pair in zip(s.lemmas, own, strict=True)
    ]
    assert text_parser.info["dev"]["LEMMAS"] == pytest.approx(100 * np.mean(right), abs=1e-3)
    assert text_parser.info["dev"]["UPOS"] == pytest.approx(100 * np.mean([g[1] == f[1] for g, f in pairs]), abs=1e-3)


def test_a_parser_of_text_learns_from_predicted_tags_and_without_lemmas(ewt, text_parser, gold_parser, monkeypatch):
    """It must not depend on what raw text does not have."""
    for sentence in ewt[30:]:
        bare = Sentence.from_forms(sentence.forms)
        assert text_parser.parse(bare)[0].heads.tolist() == text_parser.parse(sentence)[0].heads.tolist()
    lemmas = ["lemma" in str(parser.scorer.features.settings) for parser in (text_parser, gold_parser)]
    assert lemmas == [False, True]
    seen = []
    import treewright.dependency.run as module

    real = module.ParsingProblem

    def record(sentences, *rest, **options):
        seen.extend(sentences)
        return real(sentences, *rest, **options)

    monkeypatch.setattr(module, "ParsingProblem", record)
    train_parser(ewt[:10], ewt[:2], TrainingOptions(factorization="arc", folds=2, epochs=1, calibrate="none"))
    assert [list(s.forms) for s in seen] == [list(s.forms) for s in ewt[:10]]
    assert any(s.upos != gold.upos for s, gold in zip(seen, ewt, strict=False))
    assert all(s.heads is gold.heads for s, gold in zip(seen, ewt, strict=False))


@pytest.mark.parametrize("tags", ["gold", "predicted"])
@pytest.mark.parametrize("columns", [["lemmas", "xpos", "feats"], ["lemmas", "upos", "xpos", "feats"]])
def test_a_treebank_with_few_columns_still_trains(ewt, tags, columns):
    sentences = [s.replace(**{column: ("_",) * len(s) for column in columns}) for s in ewt[:12]]
    parser = train_parser(
        sentences, sentences, TrainingOptions(factorization="arc", tags=tags, folds=2, epochs=3, threads=1)
    )
    assert parser.info["dev"]["UAS"] > 60
    assert "XPOS" not in parser.info["dev"]


def test_a_treebank_of_one_word(tmp_path):
    sentence = Sentence.from_forms(["Yes"], heads=[0], deprels=["root"])
    parser = train_parser([sentence], [sentence], TrainingOptions(factorization="arc", **QUICK))
    assert parser.parse(sentence, keep_tags=True)[0].heads.tolist() == [0]
    for optimizer in ("sgd", "eg", "l-bfgs", "cg"):  # there is nothing to optimise
        options = TrainingOptions(factorization="arc", learner="log-linear", optimizer=optimizer, **QUICK)
        assert train_parser([sentence], [sentence], options).info["dev"]["LAS"] == 100


class Listener:
    def __init__(self):
        self.stages, self.done, self.epochs, self.pruned = [], [], [], []

    def stage(self, name, share):
        self.stages.append((name, share))

    def pruning(self, treebank, dev):
        self.pruned.append((treebank, dev))

    def progress(self, progress):
        self.done.append(progress)

    def epoch(self, epoch):
        self.epochs.append(epoch)


def test_training_reports_what_it_does(ewt):
    heard = Listener()
    parser = train_parser(
        ewt[:8], ewt[8:10], TrainingOptions(factorization="arc", folds=2, epochs=2, threads=1), report=heard
    )
    stages = ["tokenizer", "tagger", "jackknife", "lemmas", "calibration"]
    assert list(dict.fromkeys(name for name, _ in heard.stages)) == stages
    assert [max(share for name, share in heard.stages if name == stage) for stage in ("tagger", "jackknife")] == [1, 1]
    assert heard.done[-1].done == heard.done[-1].total == 8
    assert [epoch.number for epoch in heard.epochs] == [1, 2]
    assert list(heard.epochs[0].dev) == ["LAS", "UAS", "UPOS", "XPOS", "FEATS", "LEMMAS"]
    best = max(heard.epochs, key=lambda epoch: (epoch.dev["LAS"], -epoch.number))
    assert parser.info["epoch"] == best.number
    assert heard.pruned == []


def test_training_reports_what_the_pruner_leaves(ewt):
    heard = Listener()
    options = TrainingOptions(factorization="sibling", beam=0.01, **QUICK)
    parser = train_parser(ewt[:8], ewt[8:10], options, report=heard)
    assert {name for name, _ in heard.stages} == {"pruner", "calibration"}
    assert ("pruner", 1) in heard.stages
    [reports] = heard.pruned
    assert reports == tuple(report_pruning(parser.pruner, part, 1) for part in (ewt[:8], ewt[8:10]))
    assert reports[0].pass_rate < 50
    assert reports[0].oracle > 90


@pytest.mark.parametrize("after", [0, 1])
def test_an_interruption_keeps_the_best_epoch_if_there_is_one(ewt, after):
    class Impatient(Listener):
        def progress(self, progress):
            if progress.epoch == after + 1:
                raise KeyboardInterrupt

    options = TrainingOptions(factorization="arc", **QUICK | {"epochs": 9})
    if not after:
        with pytest.raises(KeyboardInterrupt):
            train_parser(ewt[:5], ewt[5:8], options, report=Impatient())
    else:
        assert train_parser(ewt[:5], ewt[5:8], options, report=Impatient()).info["epoch"] == 1


# What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tags", ["gold", "predicted"])
def test_a_treebank_that_cannot_be_learned_from(ewt, tags):
    options = TrainingOptions(factorization="arc", tags=tags, folds=2, epochs=1)
    headless = ewt[3].replace(heads=np.where(np.arange(len(ewt[3])) == 1, -1, ewt[3].heads))
    empty = Sentence.from_forms([])
    with pytest.raises(UsageError, match="sentence 4 of the training treebank has words without heads"):
        train_parser([*ewt[:3], headless], ewt[:2], replace(options, learner="max-margin"))
    with pytest.raises(UsageError, match="sentence 2 of the dev treebank has words without heads"):
        train_parser(ewt[:4], [ewt[0], headless], options)
    for nothing in ([], [empty]):
        with pytest.raises(UsageError, match="the training treebank has no sentences"):
            train_parser(nothing, ewt[:2], options)
        with pytest.raises(UsageError, match="the dev treebank has no sentences"):
            train_parser(ewt[:4], nothing, options)
    long = Sentence.from_forms(["w"] * 1001, heads=range(1001), deprels=["dep"] * 1001)
    with pytest.raises(UsageError, match="sentence 1 of the training treebank has 1,001 words; split it"):
        train_parser([long], ewt[:2], options)


@pytest.mark.parametrize("raw", ["", "\n \n\t\n", "w " * 129])
def test_raw_text_without_sentences_is_refused_before_anything_is_learned(tmp_path, raw):
    def treebank():
        pytest.fail("the treebank was read")
        yield

    (tmp_path / "raw.txt").write_text(raw)
    with pytest.raises(UsageError, match="the raw text has no sentences to learn from: give lines of 1 to 128 words"):
        train_parser(
            treebank(),
            treebank(),
            TrainingOptions(factorization="arc", **QUICK),
            unlabeled=RawText([tmp_path / "raw.txt"]),
        )


def test_sentences_without_words_are_left_out(ewt):
    empty = Sentence.from_forms([])
    options = TrainingOptions(factorization="arc", **QUICK)
    parser = train_parser([empty, *ewt[:4], empty], [empty, ewt[5]], options)
    assert parser.info["trained on"]["sentences"] == 4


def test_more_folds_than_sentences(ewt):
    with pytest.raises(UsageError, match="10 folds do not fit 3 sentences"):
        train_parser(ewt[:3], ewt[3:5], TrainingOptions(factorization="arc", epochs=1))


@pytest.mark.parametrize(
    ("factorization", "learner", "reason"),
    [("tri-sibling", "mira", "not searched with 'tri-sibling'"), ("sibling", "max-margin", "max-margin .* marginals")],
)
def test_kinds_of_trees_that_cannot_be_searched_are_refused_at_once(ewt, factorization, learner, reason):
    heard = Listener()
    options = TrainingOptions(trees="nonprojective", factorization=factorization, learner=learner)
    with pytest.raises(UsageError, match=reason):
        train_parser(ewt[:4], ewt[4:6], options, report=heard)
    assert heard.stages == []


def test_hard_trees_have_certificates_and_no_probabilities(ewt):
    options = TrainingOptions(trees="nonprojective", factorization="sibling", **QUICK)
    parser = train_parser(ewt[:12], ewt[:3], options)
    for sentence in ewt[:12]:
        sure = parser.parse_sentence(sentence, keep_tags=True, exact=True)
        usual = parser.parse_sentence(sentence, keep_tags=True)
        assert "# certificate = no" not in sure.comments
        if "# certificate = no" not in usual.comments:
            assert np.array_equal(sure.heads, usual.heads)
    for ask in (lambda: parser.k_best(ewt[0], 2, keep_tags=True), lambda: parser.parse(ewt[0], confidence=True)):
        with pytest.raises(UsageError, match=r"probabilities are intractable|no tagger"):
            ask()


def several_roots(sentences):
    return [s.replace(heads=np.where(np.arange(len(s)) == len(s) - 1, 0, s.heads)) for s in sentences]


@pytest.mark.parametrize("learner", ["log-linear", "max-margin"])
def test_several_roots_cannot_be_learned_as_probable_single_root_trees(ewt, learner):
    """They have no probability; and that is said before a tagger is trained."""
    heard = Listener()
    odd = [ewt[0], *several_roots(ewt[3:5])]
    with pytest.raises(UsageError, match=f"sentence 2 .* several roots, which a {learner} model .* --roots multi"):
        train_parser(odd, ewt[:2], TrainingOptions(factorization="arc", learner=learner), report=heard)
    assert heard.stages == []
    options = TrainingOptions(factorization="arc", learner=learner, roots="multi", **QUICK | {"epochs": 1})
    assert not train_parser(odd, ewt[:2], options).trees.single_root


@pytest.mark.parametrize("factorization", ["arc", "sibling"])
def test_several_roots_are_no_trouble_for_an_online_learner(ewt, factorization):
    parser = train_parser(several_roots(ewt[:6]), ewt[:2], TrainingOptions(factorization=factorization, **QUICK))
    assert all((s.heads == 0).sum() == 1 for s in parser.parse_all(ewt[:6], keep_tags=True, threads=1))


@pytest.mark.parametrize("heads", [[2, 1, 0], [9, 0, 2]], ids=["cycle", "beyond the end"])
@pytest.mark.parametrize("trees", ["projective", "nonprojective"])
def test_heads_that_are_no_tree_are_refused(ewt, heads, trees):
    odd = Sentence.from_forms(["a", "b", "c"], heads=heads, deprels=["dep"] * 3)
    with pytest.raises(UsageError, match="sentence 2 of the training treebank"):
        train_parser([ewt[0], odd], ewt[:2], TrainingOptions(factorization="arc", trees=trees, **QUICK))


def test_without_relations_the_heads_decide_which_epoch_is_best(ewt):
    heard = Listener()
    parser = train_parser(ewt[:8], ewt[8:10], TrainingOptions(factorization="arc", labels=False, **QUICK), report=heard)
    assert list(parser.info["dev"]) == ["UAS"]
    assert max(heard.epochs, key=lambda epoch: (epoch.dev["UAS"], -epoch.number)).best
    [sentence] = parser.parse(ewt[0], keep_tags=True)
    assert set(sentence.deprels) <= {"root", "dep"}


# Clusters --------------------------------------------------------------------------------------------------------


def bits_of(sentences):
    """Clusters of words by their length and last letter."""
    forms = {form for sentence in sentences for form in sentence.forms}
    return {form: f"{len(form) % 16:04b}{ord(form[-1]) % 16:04b}" for form in forms}


@pytest.mark.parametrize("tags", ["predicted", "none"])
@pytest.mark.parametrize("factorization", ["arc", "grand-sibling"])
def test_a_parser_with_clusters_is_the_same_after_saving(ewt, tmp_path, tags, factorization):
    options = TrainingOptions(tags=tags, factorization=factorization, folds=2, epochs=2, threads=1)
    parser = train_parser(ewt[:12], ewt[12:16], options, clusters=bits_of(ewt))
    parser.save(tmp_path / "m.tw")
    again = Parser.open(tmp_path / "m.tw")
    assert again.scorer.features.lexicon.clusters is not None
    for sentence in ewt[16:22]:
        raw = Sentence.from_forms(sentence.forms)
        a, b = parser.parse_sentence(raw), again.parse_sentence(raw)
        assert (a.heads.tolist(), a.deprels, a.upos) == (b.heads.tolist(), b.deprels, b.upos)
    assert (parser.tagger is None) == (tags == "none")


def test_clusters_tell_what_words_do_not(ewt):
    """Heads that only the clusters of unseen words tell."""

    def sentence(number):
        heads = [2, 0] if number % 2 else [0, 1]
        return Sentence.from_forms([f"w{number}x", "z"], heads=np.array(heads), deprels=["r", "r"], upos=["X"] * 2)

    train, dev = ([sentence(number) for number in numbers] for numbers in (range(10, 16), range(16, 22)))
    clusters = {f"w{number}x": "0101" if number % 2 else "1010" for number in range(10, 22)}
    scores = [
        train_parser(
            train, dev, TrainingOptions(factorization="arc", tags="none", epochs=5, threads=1), clusters=known
        ).info["dev"]["UAS"]
        for known in (clusters, {"z": "0"})
    ]
    assert scores == [100, 50]


def test_all_learners_take_clusters(ewt):
    for learner in ("mira", "perceptron", "log-linear", "max-margin"):
        options = TrainingOptions(factorization="arc", learner=learner, labels=learner == "mira", min_count=2, **QUICK)
        parser = train_parser(ewt[:8], ewt[8:10], options, clusters=bits_of(ewt))
        assert parser.info["dev"]["UAS"] > 20
