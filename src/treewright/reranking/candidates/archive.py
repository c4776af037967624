"""Arrays in an ``.npz`` archive, mapped into memory instead of read.

NumPy maps only single ``.npy`` files.  But a member stored without compression has the same bytes in the archive as in
a file, and if it starts at a multiple of 64 bytes its data can be used in place.  `write_arrays` pads the members
accordingly, like Android's ``zipalign``; `map_arrays` maps what it can and reads the rest.  Nothing is ever unpickled.
"""

from __future__ import annotations

import struct
import zipfile
from typing import BinaryIO

import numpy as np

from treewright.arrays import Array, Arrays
from treewright.files import READ_ERRORS, PathLike

__all__ = ["ARCHIVE_ERRORS", "map_arrays", "write_arrays"]

#: What opening a foreign or damaged archive can raise.
ARCHIVE_ERRORS = (*READ_ERRORS, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, struct.error)

_ALIGNMENT = 64
_LOCAL_HEADER = 30  # bytes, before the name of the member
_LARGE_SIZES = 20  # bytes after the name, of members that may be larger than 4 GB
_PADDING = 0xD935  # the extra field that zipalign pads with


def write_arrays(stream: BinaryIO, arrays: Arrays) -> None:
    """Write an archive that `map_arrays` can map; equal arrays become equal bytes."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            padding = -(stream.tell() + _LOCAL_HEADER + len(member.filename) + _LARGE_SIZES) % _ALIGNMENT
            padding += _ALIGNMENT if 0 < padding < 4 else 0
            if padding:
                member.extra = struct.pack("<HH", _PADDING, padding - 4) + bytes(padding - 4)
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def map_arrays(path: PathLike) -> dict[str, Array]:
    """Open the arrays of an archive.

    Raises
    ------
    One of ``ARCHIVE_ERRORS``
        If the archive is damaged, or holds anything but arrays of numbers.
    """
    with zipfile.ZipFile(path) as archive:
        return {
            member.filename.removesuffix(".npy"): _map(path, archive, member)
            for member in archive.infolist()
            if member.filename.endswith(".npy")
        }


def _map(path: PathLike, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    """Map one member, or read it if it cannot be mapped."""
    with archive.open(member) as file:
        if member.compress_type != zipfile.ZIP_STORED:
            return np.lib.format.read_array(file, allow_pickle=False)
        version = np.lib.format.read_magic(file)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read_header is None:
            raise ValueError(f"{member.filename} is in an unknown version of NumPy's format")
        shape, is_fortran, dtype = read_header(file)
        begin = file.tell()
    if dtype.hasobject or is_fortran or len(shape) > 1:
        raise ValueError(f"{member.filename} is not a one-dimensional array of numbers")
    if begin + dtype.itemsize * int(np.prod(shape, dtype=np.int64)) > member.file_size:
        raise ValueError(f"{member.filename} is truncated")
    with open(path, "rb") as raw:
        raw.seek(member.header_offset)
        header = raw.read(_LOCAL_HEADER)
        begin += member.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
    if 0 in shape:
        return np.empty(shape, dtype)
    array: Array = np.memmap(path, dtype, "r", begin, shape)
    return array if array.flags.aligned else array.copy()
