"""Damaged model files of every kind: refused by name or usable, and nothing in them is executed.

Bytes are flipped, cut and added; and manifests and arrays are changed and signed again, which no checksum notices.
Every file is opened and used in a process of its own, so that a crash is a count and not the end.
"""

from __future__ import annotations

import functools
import json
import resource
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scripts.attack.case import Case
from scripts.attack.mutation import mutate_array, mutate_json
from scripts.attack.processes import fault_of_command, in_child, run, shown
from tests.paths import DATA
from tests.reranking.candidates.test_origin import some
from tests.reranking.hidden.test_model import trained

from treewright.constituency.pcfg import train_pcfg
from treewright.errors import TreewrightError
from treewright.files import atomic_output
from treewright.model import Model, find_model
from treewright.model.container import load_model, save_model
from treewright.reranking import LinearReranker, Origin, RerankingOptions, mix_rerankers, train_reranker
from treewright.reranking.parser import RerankedParser
from treewright.treebank import Sentence, read_trees, simplify

__all__ = ["attack"]

SENTENCE = Sentence.from_forms(
    ["The", "mice", "sleep", "."], upos=["DET", "NOUN", "VERB", "PUNCT"], xpos=["DT", "NNS", "VBP", "."]
)

#: What must not happen while a model is opened.
EXECUTION = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "subprocess.Popen",
    "pickle.find_class",
    "ctypes.dlopen",
    "marshal.loads",
)

#: How much more memory a damaged model may take.
GIGABYTES = 4

COMMANDS_EVERY = 40


def attack(case: Case) -> None:
    """Open one damaged model."""
    models = _models(case.folder)
    kind = str(case.rng.choice(list(models)))
    path = case.folder / "damaged.tw"
    how = _flip if case.rng.random() < 0.25 else _sign_again
    how(case.rng, models[kind], path)
    answer = in_child(lambda: _use(kind, path), 120.0)
    outcome = "answered" if not answer else "refused" if answer == "refused" else "wrong"
    case.note(kind, outcome, answer[:300])
    if case.number % COMMANDS_EVERY == COMMANDS_EVERY - 1:
        ended = run(["info", path.name], case.folder)
        fault = fault_of_command(ended, is_drawing=True)
        case.note("info", "wrong" if fault else "refused" if ended.status else "answered", fault)


# --- good models ------------------------------------------------------------------------------------------------------


@functools.cache
def _models(folder: Path) -> dict[str, Path]:
    """Make a small model of each kind, and use each once, so that all is compiled and imported."""
    trees = [tree for tree in map(simplify, read_trees(DATA / "craft.mrg")) if tree is not None]
    pcfg = train_pcfg(trees[:30], vertical=1)
    linear = train_reranker(some(), RerankingOptions(rounds=5))
    origin = Origin(pcfg.trees_found, "any", 4, ("rule",))
    chooser = LinearReranker.of(some(), 1.0, np.zeros(some().feature_count), {"origin": origin.to_dict()})
    models: dict[str, Model] = {
        "PCFG": pcfg,
        "reranker": linear,
        "mixture": mix_rerankers({"one": linear}, some()),
        "hidden variables": trained()[0],
        "reranked parser": RerankedParser(pcfg, chooser),
    }
    paths = {kind: folder / f"{kind.replace(' ', '-')}.tw" for kind in models}
    for kind, model in models.items():
        model.save(paths[kind])
    embedded = {"dependencies": "en-linear", "dependencies by a network": "en", "constituents": "en-constituents"}
    for kind, name in embedded.items():
        paths[kind] = folder / f"{name}.tw"
        shutil.copy(find_model(name), paths[kind])
    for kind, path in paths.items():
        fault = _use(kind, path)
        if fault:
            raise RuntimeError(f"a {kind} model that is not damaged: {fault}")
    return paths


# --- damage -----------------------------------------------------------------------------------------------------------


def _flip(rng: np.random.Generator, good: Path, path: Path) -> None:
    """Flip a bit, cut the file, or add to it; near the beginning as often as anywhere."""
    data = bytearray(good.read_bytes())
    at = int(rng.integers(0, len(data) if rng.random() < 0.5 else 400))
    match int(rng.integers(0, 4)):
        case 0 | 1:
            data[at] ^= 1 << int(rng.integers(0, 8))
        case 2:
            del data[at:]
        case _:
            data[at:at] = rng.bytes(int(rng.integers(1, 50)))
    path.write_bytes(data)


def _sign_again(rng: np.random.Generator, good: Path, path: Path) -> None:
    """Change the manifest or an array, and write a whole file with a checksum of its own."""
    manifest, mapped = load_model(good)
    arrays = dict(mapped)
    if rng.random() < 0.5:
        manifest = mutate_json(rng, manifest)
        manifest = manifest if isinstance(manifest, dict) else {"kind": manifest}
    elif arrays:
        name = list(arrays)[rng.integers(len(arrays))]
        if rng.random() < 0.1:
            del arrays[name]
        else:
            arrays[name] = mutate_array(rng, arrays[name])
    try:
        save_model(path, manifest, arrays)
    except (TreewrightError, ValueError):  # what JSON or the container cannot hold
        with atomic_output(path) as stream:
            stream.write(json.dumps(str(manifest)[:100]).encode())


# --- opening and using ------------------------------------------------------------------------------------------------


def _use(kind: str, path: Path) -> str:
    """Open a model and ask it something; return what is wrong, ``refused``, or nothing."""
    noticed: list[str] = []
    listening = [True]

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        is_foreign = event == "import" and not str(arguments[0]).startswith(("treewright", "numpy", "encodings"))
        if listening and (event in EXECUTION or is_foreign):
            noticed.append(f"{event} {arguments[:1]}")

    if path.name == "damaged.tw":  # in a process of its own, because nothing stops listening for good
        sys.addaudithook(hear)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (GIGABYTES << 30),) * 2)
    try:
        model = Model.open(path)
        listening.clear()
        QUESTIONS[kind](model)
    except TreewrightError as error:
        message = str(error)
        if len(message) > 2_000 or "\n" in message or shown(message):
            return f"a message of {len(message)} characters: {message[:100]!r}"
        return f"opening it: {noticed[0]}" if noticed else "refused"
    return f"opening it: {noticed[0]}" if noticed else ""


def _parse(model: Any) -> None:
    if hasattr(model, "parse_sentence"):
        model.parse_sentence(SENTENCE)


def _rerank(model: Any) -> None:
    if hasattr(model, "best"):
        model.best(some())


def _rerank_hidden(model: Any) -> None:
    _, lists, candidates = _lists()
    if hasattr(model, "scores"):
        model.scores(candidates, lists)


@functools.cache
def _lists() -> Any:
    return trained()


QUESTIONS: dict[str, Callable[[Any], None]] = {
    "PCFG": _parse,
    "reranker": _rerank,
    "mixture": _rerank,
    "hidden variables": _rerank_hidden,
    "reranked parser": _parse,
    "dependencies": _parse,
    "dependencies by a network": _parse,
    "constituents": _parse,
}
