"""Files of candidates: JSON lines for people and other programs, NumPy archives for speed.

**JSON lines**, plain or ``.gz``/``.xz``, one sentence per line, ::

    {"candidates": [{"log_probability": -35.2, "gold": 0.91, "features": ["NP -> DT NN", "S"], "text": "(S ...)"}, ...]}

``log_probability`` and ``features`` are required; ``gold`` is 0 if it is missing, as it is for new text.  ``features``
are names, or an object of names and values.  ``size`` and ``text`` are given for all candidates or for none.  The first
sentence may have an ``origin``, which says how all were listed (`treewright.reranking.candidates.origin`).  Any other
fields are ignored.

**NumPy archives**, ``.npz``: the columns of `Candidates` under their names, strings as ``name_offsets`` and
``name_data`` (UTF-8), ``id_offsets`` and ``id_data``, the origin as JSON.  They are mapped into memory, so opening one
takes no time and processes share it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from treewright.arrays import Array, Ints, Places, Singles
from treewright.errors import CandidatesError, UsageError
from treewright.files import READ_ERRORS, PathLike, atomic_output, describe_read_error, lines_of, open_input, position
from treewright.kernels import kernel
from treewright.reranking.candidates.archive import ARCHIVE_ERRORS, map_arrays, write_arrays
from treewright.reranking.candidates.builder import CandidatesBuilder
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.origin import Origin
from treewright.reranking.candidates.scoring import feature_values
from treewright.reranking.candidates.strings import Strings

__all__ = ["read_candidates", "write_candidates"]

_ZIP_MAGIC = b"PK\x03\x04"
_COLUMNS = ("offsets", "log_probability", "gold", "feature_offsets", "features", "values", "size")
_OPTIONAL = ("values", "size")


def read_candidates(
    path: PathLike,
    vocabulary: Sequence[str] | None = None,
    cutoff: int = 1,
    report: Callable[[int], None] | None = None,
) -> Candidates:
    """Read candidates from JSON lines or from a NumPy archive, whichever the file is.

    Parameters
    ----------
    path : str or path
    vocabulary : sequence of str, optional
        The names of the features to keep; others are ignored.
    cutoff : int
        The number of sentences a feature must occur in to be kept, if no vocabulary is given.  The features of an
        archive are all kept.
    report : function, optional
        Called now and then with the number of bytes read so far.

    Raises
    ------
    CandidatesError
        If a line is malformed, or the file is damaged.
    UsageError
        If the file cannot be read, has no sentences, or is an archive of something else.
    """
    with open_input(path) as file:
        try:
            magic = file.read(len(_ZIP_MAGIC))
        except READ_ERRORS as error:
            raise CandidatesError(describe_read_error(error), str(path), 1) from None
    candidates = _open_archive(path) if magic == _ZIP_MAGIC else _read_lines(path, vocabulary, cutoff, report)
    if not candidates.sentences:
        raise UsageError(f"{path} has no candidates: it is empty")
    if vocabulary is not None and candidates.names != vocabulary:
        return _renumber(candidates, vocabulary, str(path))
    return candidates


def write_candidates(path: PathLike, candidates: Candidates) -> None:
    """Write candidates to a file, atomically: an archive for ``.npz``, JSON lines otherwise."""
    with atomic_output(path) as stream:
        if str(path).endswith(".npz"):
            write_arrays(stream, _columns(candidates))
        else:
            for i in range(candidates.sentences):
                first = {"origin": candidates.origin.to_dict()} if candidates.origin is not None and not i else {}
                line = json.dumps({**first, "candidates": list(_records(candidates, i))}, ensure_ascii=False)
                stream.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _records(candidates: Candidates, sentence: int) -> Iterator[dict[str, Any]]:
    """Yield the candidates of a sentence as JSON objects."""
    names = candidates.names
    for c in range(candidates.offsets[sentence], candidates.offsets[sentence + 1]):
        begin, end = candidates.feature_offsets[c : c + 2]
        found = candidates.features[begin:end].tolist()
        named = [str(k) if names is None else names[k] for k in found]
        record: dict[str, Any] = {
            "log_probability": float(candidates.log_probability[c]),
            "gold": float(candidates.gold[c]),
        }
        if candidates.size is not None:
            record["size"] = float(candidates.size[c])
        if candidates.values is None:
            record["features"] = named
        else:
            record["features"] = dict(zip(named, candidates.values[begin:end].tolist(), strict=True))
        if candidates.ids is not None:
            record["text"] = candidates.ids[c]
        yield record


def _read_lines(
    path: PathLike, vocabulary: Sequence[str] | None, cutoff: int, report: Callable[[int], None] | None
) -> Candidates:
    builder, number = CandidatesBuilder(vocabulary), 0
    with open_input(path) as file:
        try:
            for number, line in enumerate(lines_of(file), 1):
                if line.strip():
                    _add_line(builder, line, str(path), number)
                if report:
                    report(position(file))
        except READ_ERRORS as error:
            raise CandidatesError(describe_read_error(error), str(path), number + 1) from None
    return builder.build(cutoff)


def _add_line(builder: CandidatesBuilder, line: bytes, path: str, number: int) -> None:
    """Add the sentence of one line."""
    try:
        parsed = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip())
        if not isinstance(parsed, dict) or not isinstance(parsed.get("candidates"), list):
            raise ValueError('expected an object with a list of "candidates"')
        if not len(builder) and "origin" in parsed:
            builder.origin = _origin(parsed["origin"])
        records = parsed["candidates"]
        if not records:
            raise ValueError("the list of candidates is empty; leave the sentence out")
        if not all(isinstance(record, dict) for record in records):
            raise ValueError("expected every candidate to be an object")
        builder.add(
            [_number(record, "log_probability") for record in records],
            [_number(record, "gold", 0.0) for record in records],
            [_features(record) for record in records],
            [_number(record, "size") for record in records] if "size" in records[0] else None,
            [_text(record) for record in records] if "text" in records[0] else None,
        )
    except UnicodeDecodeError as error:
        raise CandidatesError(describe_read_error(error), path, number) from None
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise CandidatesError(f"this is not JSON{where}", path, number) from None
    except ValueError as error:
        raise CandidatesError(str(error), path, number) from None


def _origin(plain: Any) -> Origin:
    try:
        return Origin.from_dict(plain)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f'"origin" is not what rerank candidates writes: {error}') from None


def _number(record: dict[str, Any], field: str, default: float | None = None) -> float:
    return _checked(record.get(field, default), f'"{field}" of each candidate')


def _checked(value: Any, what: str) -> float:
    """Return a finite number, or raise a ValueError."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:
            pass
    raise ValueError(f"expected a finite number as {what}, not {_shown(value)}")


def _features(record: dict[str, Any]) -> list[str] | dict[str, float]:
    features = record.get("features")
    if isinstance(features, dict):
        return {name: _checked(value, f"the value of feature {name!r}") for name, value in features.items()}
    if isinstance(features, list) and all(isinstance(name, str) for name in features):
        return features
    shown = _shown(features)
    raise ValueError(f'expected names, or an object of names and values, as "features", not {shown}')


def _text(record: dict[str, Any]) -> str:
    text = record.get("text")
    if not isinstance(text, str):
        raise ValueError(f'expected a string as "text" of every candidate or of none, not {_shown(text)}')
    return text


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)[:40]


def _columns(candidates: Candidates) -> dict[str, Array]:
    """Return candidates as named arrays."""
    arrays = {name: getattr(candidates, name) for name in _COLUMNS if getattr(candidates, name) is not None}
    arrays["feature_count"] = np.array([candidates.feature_count], np.int64)
    for prefix, strings in (("name", candidates.names), ("id", candidates.ids)):
        if strings is not None:
            arrays[f"{prefix}_offsets"], arrays[f"{prefix}_data"] = strings.offsets, strings.data
    if candidates.origin is not None:
        arrays["origin"] = np.frombuffer(json.dumps(candidates.origin.to_dict()).encode(), np.uint8)
    return arrays


def _open_archive(path: PathLike) -> Candidates:
    try:
        arrays = map_arrays(path)
        missing = [name for name in _COLUMNS if name not in arrays and name not in _OPTIONAL]
        if missing:
            raise ValueError(f"the array {missing[0]!r} is missing")
        if any(arrays[name].dtype.kind not in "fiub" for name in arrays):
            raise ValueError("some of its arrays are not numbers")
        strings = [
            Strings(arrays[f"{prefix}_offsets"], arrays[f"{prefix}_data"]) if f"{prefix}_offsets" in arrays else None
            for prefix in ("name", "id")
        ]
        count = int(arrays["feature_count"][0]) if "feature_count" in arrays else -1
        columns = {name: arrays[name] for name in _COLUMNS if name in arrays}
        origin = _origin(json.loads(arrays["origin"].tobytes())) if "origin" in arrays else None
        return Candidates(**columns, names=strings[0], ids=strings[1], feature_count=count, origin=origin)
    except (*ARCHIVE_ERRORS, KeyError, IndexError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{path} is not an archive of candidates, or is damaged: {reason}") from None


def _renumber(candidates: Candidates, vocabulary: Sequence[str], path: str) -> Candidates:
    """Renumber the features of an archive as in a vocabulary, and drop the others."""
    if candidates.names is None and len(vocabulary):
        raise UsageError(f"{path} has no feature names, so the features of the model cannot be found in it")
    numbers = {name: number for number, name in enumerate(vocabulary)}
    table = np.full(candidates.feature_count, -1, np.int32)
    for place, name in enumerate(candidates.names or ()):
        table[place] = numbers.get(name, -1)
    values = feature_values(candidates)
    offsets, features, values = renumber(candidates.feature_offsets, candidates.features, values, table)
    return Candidates(
        candidates.offsets,
        candidates.log_probability,
        candidates.gold,
        offsets,
        features,
        None if candidates.values is None else values,
        candidates.size,
        Strings.of(vocabulary),
        candidates.ids,
        origin=candidates.origin,
    )


@kernel
def renumber(offsets: Ints, features: Places, values: Singles, table: Places) -> tuple[Ints, Places, Singles]:
    """Renumber the features of each candidate by a table, in increasing order; drop those that are -1 in it.

    One candidate at a time: there may be a hundred million entries in all, of which few are kept.
    """
    begins = np.zeros(len(offsets), np.int64)
    for c in range(len(offsets) - 1):
        begins[c + 1] = begins[c]
        for place in range(offsets[c], offsets[c + 1]):
            begins[c + 1] += table[features[place]] >= 0
    found = np.empty(begins[-1], np.int32)
    kept = np.empty(begins[-1] if len(values) else 0, np.float32)
    for c in range(len(offsets) - 1):
        end = begins[c]
        for place in range(offsets[c], offsets[c + 1]):
            if table[features[place]] >= 0:
                found[end] = table[features[place]]
                if len(values):
                    kept[end] = values[place]
                end += 1
        own = found[begins[c] : end]
        order = np.argsort(own)
        found[begins[c] : end] = own[order]
        if len(values):
            kept[begins[c] : end] = kept[begins[c] : end][order]
    return begins, found, kept
