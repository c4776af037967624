"""Model files: a manifest and arrays in one file, checked before use, mapped into memory.

The container is the *safetensors* format: a length, a JSON header, then plain arrays, so that any
safetensors reader opens a model and nothing in it can execute.  Its metadata hold

``treewright``
    the version of this layout,
``manifest``
    what the model is, as JSON: kind, settings, how it was trained, its scores on the dev set, its licence,
``packed``
    in small models, the lengths of the arrays that are deflated (`treewright.model.packing`), as JSON,
``sha256``
    a digest of all these and all arrays, because the container itself does not notice a flipped bit.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.errors import ModelError, UsageError
from treewright.files import PathLike, atomic_output
from treewright.model.packing import pack, unpack

__all__ = ["VERSION", "digest", "load_model", "read_manifest", "save_model"]

#: The newest version of the layout that this package reads and writes; 1 is that of models of which nothing is packed.
VERSION = 2

#: A header is a few hundred kilobytes; one that claims to be larger than this is not ours.
HEADER_LIMIT = 64 << 20

#: The bytes of a cache line: the largest array, a table of weights, begins with one (or less than eight bytes behind).
CACHE_LINE = 64

_DTYPES = {
    "I8": np.int8,
    "U8": np.uint8,
    "U16": np.uint16,
    "I32": np.int32,
    "U32": np.uint32,
    "F16": np.float16,
    "F32": np.float32,
    "F64": np.float64,
}


def save_model(path: PathLike, manifest: Mapping[str, Any], arrays: Arrays, *, small: bool = False) -> None:
    """Write a model file; an older file of that name is replaced only when the new one is complete.

    With ``small``, tables are packed where that is worth while.
    """
    if os.fspath(path).endswith((".gz", ".xz")):
        raise UsageError(f"cannot write {os.fspath(path)}: a model is mapped into memory as it lies, so not compressed")
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    tensors, packed = {name: np.ascontiguousarray(array) for name, array in arrays.items()}, dict[str, int]()
    if small:
        tensors, packed = pack(tensors)
    lengths = {"packed": json.dumps(packed, separators=(",", ":"))} if packed else {}
    version = str(VERSION if packed else 1)
    metadata = {"treewright": version, "manifest": text, **lengths}
    metadata["sha256"] = digest(text + lengths.get("packed", ""), tensors)
    with atomic_output(path) as stream:
        stream.writelines(_container(tensors, metadata))


def _container(tensors: dict[str, Array], metadata: dict[str, str]) -> tuple[bytes, bytes, memoryview]:
    """Put arrays into the container: length, header, arrays.

    The safetensors package writes the metadata in any order; sorting them makes equal models equal files.
    """
    from safetensors.numpy import save

    content = memoryview(save(tensors, metadata=metadata))
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(bytes(content[8:start]))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    largest = max(
        (entry["data_offsets"] for entry in header.values() if "data_offsets" in entry), key=_size, default=(0, 0)
    )
    text += b" " * (-(8 + len(text) + largest[0] // 8 * 8) % CACHE_LINE)  # by eights, which keep all arrays aligned
    return len(text).to_bytes(8, "little"), text, content[start:]


def _size(place: list[int]) -> int:
    return place[1] - place[0]


def load_model(path: PathLike) -> tuple[dict[str, Any], dict[str, Array]]:
    """Open a model file.

    Returns
    -------
    manifest : dict
    arrays : dict of arrays
        Read-only views of the file, mapped into memory, unless they were packed.

    Raises
    ------
    ModelError
        If the file is missing, truncated, foreign, newer than this version, or corrupted.
    """
    manifest, arrays, packed = _open(path)
    try:
        return manifest, unpack(arrays, packed)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{os.fspath(path)}: the model is corrupted ({error})") from None


def read_manifest(path: PathLike) -> dict[str, Any]:
    """Read what a model says of itself, and check all of the file; see `load_model`."""
    return _open(path)[0]


def _open(path: PathLike) -> tuple[dict[str, Any], dict[str, Array], Any]:
    """Map a model file; return the manifest, the arrays as they are in the file, and what is said of packed ones."""
    name = os.fspath(path)
    content = _map(name)
    header, start = _read_header(name, content)
    metadata = header.pop("__metadata__", None)
    version = str(metadata.get("treewright", "")) if isinstance(metadata, dict) else ""
    if not version.isdecimal() or len(version) > 9:
        raise ModelError(f"{name}: not a Treewright model (a safetensors file without a Treewright manifest)")
    if int(version) > VERSION:
        raise ModelError(f"{name}: made by a newer version of Treewright; upgrade with: pip install -U treewright")
    arrays = {key: _view(name, key, entry, content[start:]) for key, entry in header.items()}
    text, packed = str(metadata.get("manifest")), metadata.get("packed")
    if digest(f"{text}{packed or ''}", arrays) != metadata.get("sha256"):
        raise ModelError(f"{name}: the model is corrupted (its SHA-256 does not match); download or train it again")
    return _parse_object(name, text, "manifest"), arrays, packed


def _map(name: str) -> memoryview:
    """Map a file into memory."""
    try:
        with Path(name).open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)) if size else memoryview(b"")
    except OSError as error:
        raise ModelError(f"{name}: cannot read the model: {error.strerror or error}") from None


def _read_header(name: str, content: memoryview) -> tuple[dict[str, Any], int]:
    """Parse the safetensors header; return it with the place where the arrays begin."""
    foreign = ModelError(f"{name}: not a Treewright model")
    if len(content) < 9:
        raise foreign
    length = int.from_bytes(content[:8], "little")
    if length > HEADER_LIMIT or content[8] != ord("{"):
        raise foreign
    if len(content) < 8 + length:
        raise ModelError(f"{name}: the model is truncated; copy or download it again")
    return _parse_object(name, bytes(content[8 : 8 + length]), "header"), 8 + length


def _parse_object(name: str, text: str | bytes, what: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelError(f"{name}: the model is corrupted (its {what} is damaged)")
    return parsed


def _view(name: str, key: str, entry: Any, data: memoryview) -> Array:
    """Make an array of its bytes in the file, trusting nothing that the header says."""
    wrong = ModelError(f"{name}: the model is corrupted (array {key!r} is described wrongly)")
    try:
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        shape = [int(length) for length in entry["shape"]]
        begin, end = (int(place) for place in entry["data_offsets"])
    except (KeyError, OverflowError, TypeError, ValueError):
        raise wrong from None
    if min(shape, default=0) < 0 or begin < 0 or end - begin != math.prod(shape) * dtype.itemsize:
        raise wrong
    if end > len(data):
        raise ModelError(f"{name}: the model is truncated; copy or download it again")
    try:
        return np.frombuffer(data[begin:end], dtype).reshape(shape)
    except ValueError:  # more dimensions, or larger ones, than an array can have
        raise wrong from None


def digest(manifest: str, arrays: Arrays) -> str:
    """Name a manifest and arrays by a SHA-256 of all there is in them."""
    state = hashlib.sha256(manifest.encode("utf-8", "surrogatepass"))
    for name, array in sorted(arrays.items()):
        state.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        state.update(array.reshape(-1).view(np.uint8).data)
    return state.hexdigest()
