"""Files of every kind that the package reads, and random damage to them."""

from __future__ import annotations

import functools
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.paths import DATA

from treewright.arrays import Array
from treewright.reranking.candidates.archive import write_arrays
from treewright.reranking.candidates.files import read_candidates, write_candidates
from treewright.treebank import format_sentence, read

__all__ = ["STRUCTURED", "compress", "mutate", "mutate_array", "mutate_json", "seeds"]

#: What breaks readers, terminals, markup and numbers.
HOSTILE = [
    *(
        text.encode("utf-8", "surrogatepass")
        for text in ("\u202e", "\u2028", "\ufeff", "\x85", "\ud800", "\U0001d4b3\u0301", "\xa0")
    ),
    *(
        b"\x1b[31m",
        b"\x1b]0;title\x07",
        b"\x9b1m",
        b"\xc2\x9b1m",
        b"\x00",
        b"\xff\xfe",
        b"\x08\x08",
        b"\r",
        b"\x0b",
        b"\x7f",
    ),
    *(b"<script>alert(1)</script>", b"&amp;", b'"', b"]]>", b"[bold red]", b"%s%n", b"\\u0000", b"{", b"}", b"#"),
    *(b"(", b")", b"(" * 2_000, b")" * 2_000, b"(A " * 3_000, b"-LRB-", b"*T*-1", b"-NONE-"),
    *(b"9" * 5_000, b"1e999", b"NaN", b"-1", b"0", b"1-2", b"1.1", b"Infinity", b"18446744073709551616", b"\xd9\xa3"),
    *(b"\t", b"\n", b"\n\n", b" ", b"_", b"=", b"|", b"x" * 70_000, b"[" * 3_000, b'{"a":' * 2_000),
]


def mutate(rng: np.random.Generator, data: bytes) -> bytes:
    """Damage a file in one to four ways."""
    for _ in range(int(rng.integers(1, 5))):
        at, length = int(rng.integers(0, len(data) + 1)), int(rng.integers(1, 30))
        lines = data.split(b"\n")
        i, j = rng.integers(0, len(lines), 2)
        match int(rng.integers(0, 9)):
            case 0:
                data = data[:at] + bytes([int(rng.integers(0, 256))]) + data[at + 1 :]
            case 1:
                data = data[:at] + data[at + length :]
            case 2:
                data = data[:at] + data[at : at + length] * int(rng.integers(2, 5)) + data[at + length :]
            case 3 | 4:
                data = data[:at] + HOSTILE[rng.integers(len(HOSTILE))] + data[at:]
            case 5:
                lines[i], lines[j] = lines[j], lines[i]
                data = b"\n".join(lines)
            case 6:
                data = data[:at]
            case 7:
                data = data[:at] + rng.bytes(length) + data[at:]
            case _:
                data = b"\n".join([*lines[:i], _in_cell(rng, lines[i]), *lines[i + 1 :]])
    return data


def _in_cell(rng: np.random.Generator, line: bytes) -> bytes:
    """Replace a cell of a line by something hostile, or put something hostile into it."""
    cells = line.split(b"\t")
    at, hostile = int(rng.integers(len(cells))), HOSTILE[rng.integers(len(HOSTILE))]
    cells[at] = hostile if rng.random() < 0.5 else cells[at][:3] + hostile + cells[at][3:]
    return b"\t".join(cells)


#: Values that no reader of JSON may trust.
VALUES: list[Any] = [
    *(None, True, -1, 0, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 1e308, -0.0, 1e-320, float("nan"), float("inf")),
    *("", "\x1b[31m", "\ud800", "<b>", "[bold]", "os.system", "../../x", "0", "x" * 5_000),
    *([], {}, [[]], {"": {}}, [0, -1], ["a", 1], {"a": [{}]}),
]


def mutate_json(rng: np.random.Generator, value: Any) -> Any:
    """Replace, remove, repeat or add something at a random place in plain data."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = list(value)[rng.integers(len(value))]
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: mutate_json(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = int(rng.integers(len(value)))
        match int(rng.integers(0, 5)):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value[:at] + value[at : at + 1] + value[at:]
            case _:
                return [*value[:at], mutate_json(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        return type(value)(value + int(rng.choice([-1, 1, 1_000_000])))
    return VALUES[rng.integers(len(VALUES))]


def mutate_array(rng: np.random.Generator, array: Array) -> Array:
    """Change an entry, the shape, the length or the type of an array."""
    array = np.array(array)
    match int(rng.integers(0, 6)):
        case 0 | 1 if array.size:
            entry = rng.choice([-1, 1, 127, 2**31 - 1, -(2**31), np.nan, np.inf, 1e30])
            with np.errstate(all="ignore"):
                array.flat[rng.integers(array.size)] = np.array(entry).astype(array.dtype)
        case 2:
            return array[: int(rng.integers(0, len(array) + 1))] if array.ndim else array
        case 3:
            return np.concatenate([array, array[:3]]) if array.ndim else array
        case 4:
            return array.reshape(-1) if array.ndim > 1 else array[None]
        case _:
            with np.errstate(all="ignore"):
                return array.astype(rng.choice(["i1", "u1", "u2", "i4", "u4", "f4", "f8"]))
    return array


def _damaged_lists(rng: np.random.Generator, data: bytes) -> bytes:
    lines = [json.loads(line) for line in data.splitlines()]
    return "".join(json.dumps(mutate_json(rng, line)) + "\n" for line in lines).encode("utf-8", "replace")


def _damaged_archive(rng: np.random.Generator, data: bytes) -> bytes:
    with np.load(io.BytesIO(data)) as archive:
        arrays = dict(archive)
    name = list(arrays)[rng.integers(len(arrays))]
    arrays[name] = mutate_array(rng, arrays[name])
    if rng.random() < 0.1:
        del arrays[name]
    stream = io.BytesIO()
    write_arrays(stream, arrays)
    return stream.getvalue()


#: Damage to files that a checksum or the syntax would give away: inside their structure.
STRUCTURED: dict[str, Callable[[np.random.Generator, bytes], bytes]] = {
    "lists": _damaged_lists,
    "archives": _damaged_archive,
}


def compress(rng: np.random.Generator, data: bytes) -> bytes:
    """Compress a file, and damage what comes out half of the time."""
    packed = gzip.compress(data, 1) if rng.random() < 0.5 else lzma.compress(data, preset=0)
    return mutate(rng, packed) if rng.random() < 0.5 else packed


@functools.cache
def seeds(folder: Path) -> dict[str, list[bytes]]:
    """Return whole files by kind; the archive is made in a folder."""
    treebanks = [_some((DATA / name).read_bytes(), b"\n\n", 4) for name in ("ewt.conllu", "alksnis.conllu")]
    sentences = [s for data in treebanks for s in read(io.BytesIO(data))]
    words = " ".join(form for sentence in sentences for form in sentence.forms)
    lists = "".join(map(_list, range(6)))
    (folder / "seed.jsonl").write_text(lists)
    write_candidates(folder / "seed.npz", read_candidates(folder / "seed.jsonl"))
    return {
        "conllu": [*treebanks, (DATA / "nonprojective.conllu").read_bytes()],
        "conllx": ["".join(format_sentence(s, format="conllx") for s in sentences[:4]).encode()],
        "brackets": [(DATA / "trees.mrg").read_bytes(), _some((DATA / "craft.mrg").read_bytes(), b"\n", 3)],
        "lists": [lists.encode()],
        "archives": [(folder / "seed.npz").read_bytes()],
        "clusters": ["".join(f"{k:05b}\t{form}{k}\t{k + 1}\n" for k, form in enumerate(words.split()[:30])).encode()],
        "text": [words.encode(), "\n".join(words.split(" . ")).encode()],
    }


def _some(data: bytes, separator: bytes, count: int) -> bytes:
    return separator.join(data.split(separator)[:count]) + separator


def _list(number: int) -> str:
    candidates = [
        {"log_probability": -1.5 * k - number, "gold": 0.25 * k, "size": 3, "features": ["a", f"b{k}"], "text": f"t{k}"}
        for k in range(4)
    ]
    return json.dumps({"candidates": candidates}) + "\n"
