"""The three models of Koo et al. (2010) and the pruner in front of them: training, and what asks of a trained one."""

from __future__ import annotations

import functools
from dataclasses import replace

import common
import numpy as np

from treewright import TrainingOptions
from treewright.dependency.cascade_training import report_pruning
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.inference import Parts, Trees
from treewright.learning import Mira, Perceptron, train

#: Model → its factorization, and how long an epoch takes, relative to the first.
MODELS = {"MST": ("arc", 1), "Sib": ("sibling", 2), "G+S": ("grand-sibling", 4)}
#: Epochs of the first-order model that prunes, by the marginals of the matrix-tree theorem, and its beam.
PRUNER_EPOCHS, BEAM = 10, 1e-2
#: The learner of the paper, another one, and that with all training sentences where the others have fewer.
LEARNERS = {"perceptron": Perceptron, "MIRA": Mira, "MIRA-all": Mira}


@functools.cache
def pruned(treebank, seed):
    """Tell which arcs of train, validation and dev survive; what that keeps and loses beside them."""
    trees = Trees(projective=False, single_root=treebank.single_root)
    pruner = replace(common.pruner_of(treebank, trees, PRUNER_EPOCHS, seed), beam=BEAM)
    report = report_pruning(pruner, treebank.dev, 1)
    parts = (treebank.train, treebank.validation, treebank.dev)
    masks = [[allowed(pruner, sentence) for sentence in part] for part in parts]
    return masks, {"pass": report.pass_rate, "heads": report.heads_per_word, "oracle": report.oracle}


def allowed(pruner, sentence):
    """Tell which arcs survive, with those of the best projective tree, so that projective parsers find one, too."""
    mask = pruner.allowed(sentence)
    scores = pruner.scorer.score(sentence)
    mask[replace(pruner.trees, projective=True).argmax(scores).heads[1:], np.arange(1, len(mask))] = True
    return mask


def settings_of(treebank, model, learner, epochs, options):
    """Give the settings that name a trained model."""
    settings = common.common_settings(treebank, epochs, options)
    return settings | {"pruner epochs": PRUNER_EPOCHS, "beam": BEAM, "model": model, "learner": learner}


@functools.lru_cache(maxsize=2)
def features_of(treebank, model):
    options = TrainingOptions(trees="nonprojective", factorization=MODELS[model][0], labels=False)
    return DependencyFeatures.of(treebank.train, kinds=options.kinds)


def trees_of(treebank, model, *, projective=False):
    return Trees(projective, treebank.single_root, MODELS[model][0])


def train_model(store, cell, say):
    """Train; choose the epoch on the validation slice; keep the weights; count correct heads on dev.

    Above single arcs, it is learned from what the automata choose by themselves (section 6).
    """
    settings, treebank, model = cell.settings, cell.treebank, cell.settings["model"]
    features, trees = features_of(treebank, model), trees_of(treebank, model)
    (train_masks, validation_masks, dev_masks), pruning = pruned(treebank, settings["seed"])

    def validate(weights):
        correct = common.correct_heads(features, weights, trees, treebank.validation, validation_masks)
        return {"UAS": common.uas(correct, treebank.validation)}

    # What is compiled or loaded only once is not part of the time of an epoch.
    learner = LEARNERS[settings["learner"]]()
    train(ParsingProblem(treebank.train[:5], features, trees, train_masks[:5]), learner, epochs=1)
    problem = ParsingProblem(treebank.train, features, trees, train_masks)
    fit = common.fit(problem, learner, validate, settings, say)
    store.keep(cell, fit.weights)
    return {
        "validation": fit.validation["UAS"],
        "epoch": fit.epoch,
        "seconds": fit.seconds,
        **pruning,
        "correct": common.correct_heads(features, fit.weights, trees, treebank.dev, dev_masks),
    }


def scored(store, cell, sentences, masks):
    """Score the parts of sentences with the weights of a trained model, one after another."""
    features = features_of(cell.treebank, cell.settings["model"])
    weights = store.kept(cell)
    if weights is None:
        raise SystemExit("the weights of an earlier run are gone from experiments/.cache: use --fresh")
    for sentence, mask in zip(sentences, masks, strict=True):
        yield features.score(features.hash(sentence), weights, Parts(mask))
