"""Damaged files through every reader, and through the commands: a right answer or one clear line.

Readers are asked in a process of their own where the file is binary, so that a crash is a count and not the end.
"""

from __future__ import annotations

import gzip
import json
import lzma
import unicodedata
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

from scripts.attack.case import Case
from scripts.attack.mutation import STRUCTURED, compress, mutate, seeds
from scripts.attack.processes import fault_of_command, in_child, run, shown

from treewright.cli.formats import FORMATS, to_json
from treewright.clustering.corpus import CorpusReader
from treewright.clustering.paths import Clusters
from treewright.errors import TreewrightError
from treewright.files import open_input
from treewright.reranking.candidates.files import read_candidates, write_candidates
from treewright.tokenization import tokenize_stream
from treewright.treebank import (
    RawText,
    draw_tree,
    format_sentence,
    format_tree,
    projectivize,
    read,
    read_trees,
    read_trees_string,
    simplify,
    to_dependencies,
    tree_to_svg,
)
from treewright.treebank.sentence import Format

__all__ = ["attack"]

SUFFIXES = {
    "conllu": ".conllu",
    "conllx": ".conllx",
    "brackets": ".mrg",
    "lists": ".jsonl",
    "archives": ".npz",
    "clusters": ".paths",
    "text": ".txt",
}

#: One case in this many goes through a command as well, and one in this many is very large.
COMMANDS_EVERY, BOMBS_EVERY = 60, 250

#: What a reader may take for one damaged file, in seconds; they need milliseconds.
PATIENCE = 20.0


def attack(case: Case) -> None:
    """Read one damaged file."""
    rng, files = case.rng, seeds(case.folder)
    kind = str(rng.choice(list(files)))
    whole = files[kind][rng.integers(len(files[kind]))]
    data = STRUCTURED[kind](rng, whole) if kind in STRUCTURED and rng.random() < 0.7 else mutate(rng, whole)
    if kind != "archives" and rng.random() < 0.1:
        data = compress(rng, data)
    path = case.folder / f"damaged{SUFFIXES[kind]}"
    path.write_bytes(data)
    question = READERS[kind]
    if kind == "archives":
        answer, error = in_child(lambda: _named(question, path), PATIENCE), None
        case.note(kind, *_outcome(answer))
    else:
        fault, error = case.ask(kind, lambda: question(path), PATIENCE)
        if isinstance(error, TreewrightError):
            fault = _fault_of_message(str(error))
        elif error is not None:
            fault = f"{type(error).__name__}: {str(error)[:200]}"
        if fault is not None:
            case.note(kind, "wrong" if fault else "refused" if error else "answered", fault)
    if case.number % COMMANDS_EVERY == COMMANDS_EVERY - 1:
        _command(case, kind, path)
    if case.number % BOMBS_EVERY == BOMBS_EVERY - 1:
        _bomb(case)


def _named(question: Callable[[Path], str], path: Path) -> str:
    try:
        return question(path)
    except TreewrightError as error:
        return _fault_of_message(str(error)) or "refused"


def _outcome(answer: str) -> tuple[str, str]:
    return ("answered", "") if not answer else ("refused", "") if answer == "refused" else ("wrong", answer[:300])


def _fault_of_message(message: str) -> str:
    if "\n" in message or len(message) > 2_000:
        return f"a message of {len(message)} characters in {message.count(chr(10)) + 1} lines: {message[:100]!r}"
    return f"control codes in a message: {shown(message)}" if shown(message) else ""


# --- readers: each returns what is wrong with what it read, and raises if it refuses ----------------------------------


def _conll(format: Format) -> Callable[[Path], str]:
    def question(path: Path) -> str:
        for sentence in read(path, format, on_error="skip"):
            picture, plain = FORMATS["tree"](sentence), json.dumps(to_json(sentence), allow_nan=False)
            if shown(picture) or not plain:
                return f"control codes in a drawing: {shown(picture)}"
            svg, latex, rows = (FORMATS[to](sentence) for to in ("svg", "latex", "tsv"))
            if any(element.tag.endswith("script") for element in xml.etree.ElementTree.fromstring(svg).iter()):
                return "a script in a drawing"
            if shown(svg) or shown(latex) or rows.count("\n") != len(sentence):
                return f"control codes in a drawing or a table: {shown(svg) or shown(latex)}"
            if len(sentence) and (sentence.heads >= 0).all():
                projectivize(sentence.heads)
        text = "".join(format_sentence(sentence, format=format) for sentence in read(path, format))
        with open_input(path) as file:
            whole = file.read()
        return "" if text.encode() == whole else "written again, it is another file"

    return question


def _brackets(path: Path) -> str:
    for tree in read_trees(path, spaces="keep", on_error="skip"):
        simple = simplify(tree)
        svg, picture = tree_to_svg(tree), draw_tree(tree)
        root = xml.etree.ElementTree.fromstring(svg)
        if any(element.tag.endswith("script") for element in root.iter()):
            return "a script in a drawing"
        if shown(picture) or shown(svg):
            return f"control codes in a drawing: {shown(picture) or shown(svg)}"
        if simple is not None and len(to_dependencies(tree)) != len(simple):
            return "its dependencies have other words"
    for tree in read_trees(path):
        if read_trees_string(format_tree(tree)) != [tree]:
            return "written again, it is another tree"
    return ""


def _candidates(path: Path) -> str:
    candidates = read_candidates(path)
    again = path.with_name("again.jsonl")
    write_candidates(again, candidates)
    same = read_candidates(again)
    return "" if same.sentences == candidates.sentences else "written again, it has other sentences"


def _clusters(path: Path) -> str:
    clusters = Clusters.read(path)
    clusters.save(path.with_name("again.paths"))
    return "" if Clusters.read(path.with_name("again.paths")) == clusters else "written again, they are others"


def _text(path: Path) -> str:
    reader = CorpusReader()
    reader.read(path)
    words = sum(len(sentence) for sentence in RawText([path]))
    with open_input(path) as file:
        text = file.read().decode("utf-8", "replace")
    for sentence in tokenize_stream(text.splitlines(keepends=True)):
        bad = [form for form in sentence.forms if not form or any(unicodedata.category(c) == "Cc" for c in form)]
        if bad:
            return f"the word {bad[0]!r}"
    # white space is that of ASCII for clusters, which take words as bytes, and that of Unicode elsewhere
    return "" if words >= reader.words else f"{words} words, or {reader.words}"


READERS: dict[str, Callable[[Path], str]] = {
    "conllu": _conll("conllu"),
    "conllx": _conll("conllx"),
    "brackets": _brackets,
    "lists": _candidates,
    "archives": _candidates,
    "clusters": _clusters,
    "text": _text,
}

# --- commands ---------------------------------------------------------------------------------------------------------


def _commands(kind: str, path: Path) -> list[list[str]]:
    """List the commands that read a kind of file."""
    name = path.name
    if kind in ("conllu", "conllx"):
        read_it = [["convert", name, "--to", to] for to in ("tree", "json", "conllx", "conllu")]
        return [
            *read_it,
            ["evaluate", name, name],
            ["parse", name, "--to", "tree"],
            ["convert", name, "--on-error", "skip"],
        ]
    if kind == "brackets":
        read_it = [["convert", name, "--to", to] for to in ("constituents", "brackets", "tree", "conllu")]
        return [*read_it, ["constituents", "evaluate", name, name], ["convert", name, "--on-error", "skip"]]
    if kind == "text":
        return [
            ["parse", name, "--to", "tree"],
            ["parse", name, "--on-error", "skip"],
            ["cluster", name, "--output", "c"],
        ]
    if kind == "clusters":
        return [
            ["train", "seed.conllu", "--dev", "seed.conllu", "--output", "m.tw", "--clusters", name, "--epochs", "1"]
        ]
    return [["rerank", "train", name, "--output", "m.tw", "--rounds", "2"]]


def _command(case: Case, kind: str, path: Path) -> None:
    (case.folder / "seed.conllu").write_bytes(seeds(case.folder)["conllu"][0])
    choices = _commands(kind, path)
    command = choices[case.rng.integers(len(choices))]
    ended = run(command, case.folder)
    fault = fault_of_command(ended, is_drawing="tree" in command or "constituents" in command)
    outcome = "wrong" if fault else "refused" if ended.status else "answered"
    case.note("commands", outcome, f"{' '.join(command)}: {fault}")


# --- very large files -------------------------------------------------------------------------------------------------

MEGABYTES = 400


def _repeated(piece: bytes) -> Iterator[bytes]:
    block = piece * (1_000_000 // len(piece))
    return (block for _ in range(MEGABYTES))


def _bomb(case: Case) -> None:
    """Read a file of a few kilobytes that is 400 MB long, or a tree 100,000 brackets deep."""
    piece = [b"x", b"(", b"1\t", b"0", b"\n", b"[", b" ", b"# ", "\u00e9".encode()][case.rng.integers(9)]
    kind = str(case.rng.choice([kind for kind in SUFFIXES if kind != "archives"]))
    path = case.folder / f"bomb{SUFFIXES[kind]}"
    if case.rng.random() < 0.2:
        path = case.folder / "bomb.mrg"
        kind, depth = "brackets", 100_000
        path.write_bytes(b"(A " * depth + b"(B c)" + b")" * (depth - int(case.rng.integers(0, 2))) + b"\n")
    elif case.rng.random() < 0.8:
        with gzip.open(path, "wb", 1) as file:
            file.writelines(_repeated(piece))
    else:
        with lzma.open(path, "wb", preset=0) as file:
            file.writelines(_repeated(piece))
    choices = _commands(kind, path)
    command = choices[case.rng.integers(len(choices))]
    (case.folder / "seed.conllu").write_bytes(seeds(case.folder)["conllu"][0])
    ended = run(command, case.folder, 100.0)
    path.unlink()
    fault = fault_of_command(ended, "tree" in command)
    outcome = "wrong" if fault else "refused" if ended.status else "answered"
    case.note("very large files", outcome, f"{' '.join(command)} of {piece!r}: {fault}")
