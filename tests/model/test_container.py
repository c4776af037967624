"""Model files: what is written is read, and anything else is refused in one line."""

import json
import os
import zlib

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

from treewright.errors import ModelError, UsageError
from treewright.model import container as storage
from treewright.model.container import VERSION, digest, load_model, read_manifest, save_model

MANIFEST = {"kind": "test", "nested": {"list": [1, 2.5, None]}, "text": "žodis ☃\n"}


def some_arrays():
    rng = np.random.default_rng(0)
    return {
        "weights": rng.integers(-127, 128, 300).astype(np.int8),
        "numbers": rng.normal(size=(7, 5)).astype(np.float32),
        "doubles": rng.normal(size=3),
        "hashes": rng.integers(0, 1 << 32, 11, np.uint32),
        "empty": np.zeros((0, 4), np.int32),
        "bytes": np.arange(9, dtype=np.uint8).reshape(3, 3),
        "halves": np.linspace(-1, 1, 7, dtype=np.float16),
    }


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.tw"
    save_model(path, MANIFEST, some_arrays())
    return path


def assert_same(found, manifest, arrays):
    assert found[0] == manifest
    assert found[1].keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[1][name].dtype == array.dtype
        assert np.array_equal(found[1][name], array)
        assert found[1][name].shape == array.shape


def refuse(path, match):
    """Check that a file is refused with one line that names it."""
    with pytest.raises(ModelError, match=match) as caught:
        load_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def split(content):
    """Take a model file apart: header, arrays."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def join(header, data):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def change_header(path, change):
    header, data = split(path.read_bytes())
    change(header)
    path.write_bytes(join(header, data))


def test_what_is_written_is_read(model):
    assert_same(load_model(model), MANIFEST, some_arrays())


def test_paths_may_be_strings(model):
    assert_same(load_model(str(model)), MANIFEST, some_arrays())


def test_the_same_model_gives_the_same_bytes(model, tmp_path):
    reordered = dict(reversed(some_arrays().items()))
    for _ in range(10):
        save_model(tmp_path / "again.tw", MANIFEST, reordered)
        assert (tmp_path / "again.tw").read_bytes() == model.read_bytes()


def test_arrays_are_aligned(model):
    for array in load_model(model)[1].values():
        assert array.flags.aligned


def test_arrays_that_are_not_contiguous_are_written_as_they_read(tmp_path):
    array = np.arange(24, dtype=np.int32).reshape(4, 6)
    save_model(tmp_path / "m.tw", {}, {"a": array[::2, 1::2], "b": array.T})
    assert_same(load_model(tmp_path / "m.tw"), {}, {"a": array[::2, 1::2], "b": array.T})


def test_any_reader_of_safetensors_opens_a_model(model):
    with safe_open(model, framework="numpy") as file:
        assert set(file.keys()) == set(some_arrays())
        for name, array in some_arrays().items():
            assert np.array_equal(file.get_tensor(name), array)
        assert json.loads(file.metadata()["manifest"]) == MANIFEST
        assert file.metadata()["treewright"] == "1"


def test_arrays_are_views_of_the_file_and_read_only(model):
    _, arrays = load_model(model)
    for array in arrays.values():
        assert not array.flags.writeable
        assert not array.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        arrays["weights"][0] = 1


def test_a_mapped_model_outlives_its_file_being_replaced(model):
    _, arrays = load_model(model)
    save_model(model, {}, {"weights": np.zeros(300, np.int8)})
    assert np.array_equal(arrays["weights"], some_arrays()["weights"])


# What is refused -------------------------------------------------------------------------------------------------


def test_a_missing_file(tmp_path):
    refuse(tmp_path / "none.tw", "cannot read the model: No such file or directory")


def test_a_directory(tmp_path):
    refuse(tmp_path, "cannot read the model")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"12345678",
        b"1\tThe\t_\t_\t_\t_\t_\t_\t_\t_\n\n" * 20,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"\x80\x04\x95" + b"\x00" * 200,
        b"PK\x03\x04" + b"\x00" * 200,
        b"\x00" * 1000,
        b"\xff" * 1000,
        (10).to_bytes(8, "little") + b'["a", "b"]' + b"\x00" * 10,
    ],
    ids=["empty", "one byte", "eight bytes", "text", "image", "pickle", "archive", "zeros", "ones", "list"],
)
def test_foreign_files(tmp_path, content):
    path = tmp_path / "foreign.tw"
    path.write_bytes(content)
    refuse(path, "not a Treewright model$")


def test_a_file_cut_short_anywhere(model):
    content = model.read_bytes()
    for size in np.linspace(0, len(content) - 1, 40).astype(int).tolist():
        model.write_bytes(content[:size])
        refuse(model, "not a Treewright model" if size < 9 else "truncated")


def test_no_flipped_byte_goes_unnoticed(model):
    """A byte that tells nothing, such as a space, may change; the content may not."""
    content = model.read_bytes()
    data = len(content) - len(split(content)[1])
    rng = np.random.default_rng(1)
    places = {*range(12), *rng.choice(data, 250, replace=False), *rng.integers(data, len(content), 150)}
    refused = 0
    for place in sorted(int(place) for place in places):
        for flip in (1 << rng.integers(8), 255):
            changed = bytearray(content)
            changed[place] ^= int(flip)
            model.write_bytes(changed)
            try:
                found = load_model(model)
            except ModelError:
                refuse(model, "not a Treewright model|corrupted|truncated|newer")
                refused += 1
            else:
                assert_same(found, MANIFEST, some_arrays())
                assert place < data
    assert refused > 1.9 * len(places)


def test_a_damaged_array(model):
    content = bytearray(model.read_bytes())
    content[-5] ^= 16
    model.write_bytes(content)
    refuse(model, r"corrupted \(its SHA-256 does not match\)")


def test_an_array_less_or_more(model):
    content = model.read_bytes()
    change_header(model, lambda header: header.pop("empty"))
    refuse(model, "SHA-256")
    model.write_bytes(content)
    extra = {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]}
    change_header(model, lambda header: header.update(extra=extra))
    refuse(model, "SHA-256")


def test_two_arrays_swapped(tmp_path):
    path = tmp_path / "m.tw"
    save_model(path, {}, {"a": np.zeros(8, np.int8), "b": np.ones(8, np.int8)})
    header, data = split(path.read_bytes())
    header["a"], header["b"] = header["b"], header["a"]
    path.write_bytes(join(header, data))
    refuse(path, "SHA-256")


def test_a_newer_version(model):
    change_header(model, lambda header: header["__metadata__"].update(treewright=str(VERSION + 1)))
    refuse(model, "made by a newer version of Treewright; upgrade")


@pytest.mark.parametrize("version", [None, "", "x", "-1", "1.5", "9" * 5000])
def test_an_odd_version(model, version):
    change_header(model, lambda header: header["__metadata__"].update(treewright=version))
    refuse(model, "not a Treewright model")


def test_safetensors_of_somebody_else(tmp_path):
    path = tmp_path / "other.safetensors"
    path.write_bytes(save({"a": np.zeros(3, np.float32)}))
    refuse(path, "not a Treewright model")
    path.write_bytes(save({"a": np.zeros(3, np.float32)}, metadata={"format": "pt"}))
    refuse(path, "not a Treewright model")


@pytest.mark.parametrize(
    "entry",
    [
        {"data_offsets": [0, 299]},
        {"data_offsets": [-300, 0]},
        {"data_offsets": [300, 0]},
        {"data_offsets": [0, 10**30], "shape": [10**30]},
        {"data_offsets": [10**30, 10**30 + 300]},
        {"data_offsets": [0, 1e400]},
        {"data_offsets": [0]},
        {"data_offsets": None},
        {"data_offsets": ["a", "b"]},
        {"shape": [-300]},
        {"shape": [-1, -300]},
        {"shape": [1e400]},
        {"shape": [0, 10**30], "data_offsets": [0, 0]},
        {"shape": [1] * 100 + [300]},
        {"shape": 300},
        {"dtype": "F8"},
        {"dtype": "BF16"},
        {"dtype": 8},
        {"dtype": []},
    ],
    ids=str,
)
def test_an_array_described_wrongly(model, entry):
    header, _ = split(model.read_bytes())
    assert header["weights"]["shape"] == [300]
    change_header(model, lambda header: header["weights"].update(entry))
    refuse(model, "corrupted|truncated")


@pytest.mark.parametrize("entry", [None, 3, "text", [], {}])
def test_an_array_not_described(model, entry):
    change_header(model, lambda header: header.update(weights=entry))
    refuse(model, "array 'weights' is described wrongly")


def test_arrays_that_overlap(model):
    def overlap(header):
        begin, end = header["numbers"]["data_offsets"]
        header["doubles"] = {"dtype": "U8", "shape": [end - begin], "data_offsets": [begin, end]}

    change_header(model, overlap)
    refuse(model, "SHA-256")


@pytest.mark.parametrize("manifest", [None, {}, "", "{", "\ud800", 7])
def test_a_manifest_that_is_none(model, manifest):
    change_header(model, lambda header: header["__metadata__"].update(manifest=manifest))
    refuse(model, "corrupted")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_a_manifest_that_is_not_json_though_its_digest_is_right(model, text):
    digest = storage.digest(text, some_arrays())
    change_header(model, lambda header: header["__metadata__"].update(manifest=text, sha256=digest))
    refuse(model, "corrupted")


def test_a_header_nested_too_deep(tmp_path):
    path = tmp_path / "deep.tw"
    text = b'{"a":' * 200_000
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    refuse(path, "its header is damaged")


# Saving ----------------------------------------------------------------------------------------------------------


def test_saving_replaces_an_older_file(model):
    save_model(model, {"kind": "new"}, {})
    assert_same(load_model(model), {"kind": "new"}, {})
    assert os.listdir(model.parent) == [model.name]


def test_a_failure_while_saving_leaves_the_old_file(model, monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(UsageError, match="No space left on device"):
        save_model(model, {"kind": "new"}, {})
    monkeypatch.undo()
    assert_same(load_model(model), MANIFEST, some_arrays())
    assert os.listdir(model.parent) == [model.name]


def test_an_interruption_while_saving_leaves_the_old_file(model, monkeypatch):
    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("safetensors.numpy.save", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_model(model, {"kind": "new"}, {})
    assert_same(load_model(model), MANIFEST, some_arrays())
    assert os.listdir(model.parent) == [model.name]


def test_a_manifest_that_cannot_be_written_leaves_the_old_file(model):
    with pytest.raises(TypeError):
        save_model(model, {"kind": object()}, {})
    assert_same(load_model(model), MANIFEST, some_arrays())


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        save_model(tmp_path / "no" / "model.tw", {}, {})


def test_the_largest_array_begins_with_a_cache_line(tmp_path):
    for length in range(1, 20):
        save_model(
            tmp_path / "m.tw", {"kind": "x" * length}, {"a": np.zeros(3, np.int8), "weights": np.ones(99, np.int8)}
        )
        content = (tmp_path / "m.tw").read_bytes()
        assert content.index(b"\1" * 99) % 64 < 8


def some_tables():
    rng = np.random.default_rng(1)
    return some_arrays() | {"table": np.where(rng.random(50_000) < 0.9, 0, rng.integers(-9, 9, 50_000)).astype(np.int8)}


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "packed.tw"
    save_model(path, MANIFEST, some_tables(), small=True)
    return path


def test_tables_of_a_small_model_are_packed(packed, tmp_path):
    save_model(tmp_path / "plain.tw", MANIFEST, some_tables())
    assert packed.stat().st_size < (tmp_path / "plain.tw").stat().st_size / 2
    assert_same(load_model(packed), MANIFEST, some_tables())
    assert read_manifest(packed) == MANIFEST
    assert not load_model(packed)[1]["table"].flags.writeable
    save_model(tmp_path / "again.tw", MANIFEST, some_tables(), small=True)
    assert (tmp_path / "again.tw").read_bytes() == packed.read_bytes()


def test_a_large_model_is_mapped_as_it_lies_but_for_sparse_tables(tmp_path):
    path, sparse = tmp_path / "large.tw", np.zeros(1 << 20, np.int8)
    dense = np.random.default_rng(1).integers(-127, 127, 16 << 20, np.int8)
    save_model(path, {}, {"dense": dense, "sparse": sparse}, small=True)
    assert dense.nbytes < path.stat().st_size < dense.nbytes + 10_000
    assert_same(load_model(path), {}, {"dense": dense, "sparse": sparse})


def test_a_packed_model_is_of_the_second_version(packed):
    change_header(packed, lambda header: header["__metadata__"].update(packed="{}"))
    refuse(packed, "SHA-256")


def test_no_flipped_byte_of_a_packed_model_goes_unnoticed(packed):
    content = packed.read_bytes()
    for place in np.random.default_rng(2).integers(9, len(content), 100):
        damaged = bytearray(content)
        damaged[place] ^= 1
        packed.write_bytes(damaged)
        with pytest.raises(ModelError):
            load_model(packed)


@pytest.mark.parametrize(
    "lengths",
    [
        *["", "[]", "7", '{"table": 49999}', '{"table": 50001}', '{"table": -1}', '{"table": 1e9}'],
        *['{"table": 300000000}', '{"other": 50000}', '{"table": 50000, "weights": 20000}', '{"table": true}'],
        "[" * 100_000,
    ],
)
def test_lengths_that_cannot_be(packed, lengths):
    def resign(header):
        text = header["__metadata__"]["manifest"]
        header["__metadata__"].update(packed=lengths, sha256=digest(text + lengths, arrays))

    header, data = split(packed.read_bytes())
    places = {name: entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"}
    dtypes = {"I8": np.int8, "U8": np.uint8, "F32": np.float32, "F64": np.float64, "U32": np.uint32, "I32": np.int32}
    dtypes["F16"] = np.float16
    arrays = {
        name: np.frombuffer(data[begin:end], dtypes[header[name]["dtype"]]).reshape(header[name]["shape"])
        for name, (begin, end) in places.items()
    }
    change_header(packed, resign)
    refuse(packed, "corrupted")


def test_a_table_that_would_inflate_without_end_is_refused(tmp_path):
    path, bomb = tmp_path / "bomb.tw", zlib.compress(bytes(10_000_000))
    lengths = {"packed": '{"table":20000}'}
    arrays = {"table": np.frombuffer(bomb, np.uint8)}
    signature = digest("{}" + lengths["packed"], arrays)
    path.write_bytes(save(arrays, metadata={"treewright": "2", "manifest": "{}", **lengths, "sha256": signature}))
    refuse(path, "a table has another length")
