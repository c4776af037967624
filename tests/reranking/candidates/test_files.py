"""Files of candidates: there and back, and what is refused, with file, line and reason."""

import contextlib
import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from treewright.errors import CandidatesError, UsageError
from treewright.reranking import Candidates, CandidatesBuilder, read_candidates, write_candidates

COLUMNS = ("offsets", "log_probability", "gold", "feature_offsets", "features", "values", "size", "names", "ids")


def make(values=False, size=False, ids=False):
    random = np.random.default_rng(5)
    builder = CandidatesBuilder()
    for _ in range(20):
        count = random.integers(1, 6)
        named = [[f"f{k}" for k in random.integers(0, 30, random.integers(0, 8))] for _ in range(count)]
        builder.add(
            random.normal(size=count).tolist(),
            random.random(count).tolist(),
            [{name: int(name[1:]) + 0.5 for name in names} if values else names for names in named],
            random.integers(1, 30, count).tolist() if size else None,
            [f"({c} дерево)" for c in range(count)] if ids else None,
        )
    return builder.build()


def assert_equal(a, b):
    for name in COLUMNS:
        first, second = getattr(a, name), getattr(b, name)
        assert (first is None) == (second is None), name
        if first is not None:
            assert len(first) == len(second), name
            assert list(first) == list(second), name


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".npz"])
@pytest.mark.parametrize("extras", [{}, {"values": True}, {"size": True, "ids": True}])
def test_there_and_back(tmp_path, suffix, extras):
    candidates, path = make(**extras), tmp_path / f"c{suffix}"
    write_candidates(path, candidates)
    assert_equal(read_candidates(path), candidates)


def test_an_archive_is_mapped_not_read(tmp_path):
    write_candidates(tmp_path / "c.npz", make(ids=True))
    candidates = read_candidates(tmp_path / "c.npz")
    for array in (candidates.features, candidates.gold, candidates.ids.data):
        owner = array
        while owner is not None and not isinstance(owner, np.memmap):
            owner = owner.base
        assert owner is not None
        assert array.flags.aligned


def test_archives_of_numpy_are_read(tmp_path):
    candidates = make()
    arrays = {name: getattr(candidates, name) for name in COLUMNS[:5]}
    np.savez(tmp_path / "plain.npz", **arrays)
    np.savez_compressed(tmp_path / "small.npz", **arrays)
    for name in ("plain.npz", "small.npz"):
        read = read_candidates(tmp_path / name)
        assert read.features.tolist() == candidates.features.tolist()
        assert read.names is None
    with np.load(tmp_path / "plain.npz") as archive:
        assert archive["gold"].tolist() == candidates.gold.tolist()


def test_what_is_written_numpy_reads(tmp_path):
    candidates = make(size=True)
    write_candidates(tmp_path / "c.npz", candidates)
    with np.load(tmp_path / "c.npz", allow_pickle=False) as archive:
        assert archive["features"].tolist() == candidates.features.tolist()


@pytest.mark.parametrize("suffix", [".jsonl", ".npz"])
@pytest.mark.parametrize("values", [False, True])
def test_a_vocabulary_numbers_features(tmp_path, suffix, values):
    candidates, path = make(values=values), tmp_path / f"c{suffix}"
    write_candidates(path, candidates)
    vocabulary = ["nowhere", *reversed(list(candidates.names)[::2])]  # in another order, so that values move as well
    read = read_candidates(path, vocabulary)
    assert list(read.names) == vocabulary
    assert (read.values is None) == (not values)

    def named(of, c):
        begin, end = of.feature_offsets[c : c + 2]
        own = [1.0] * (end - begin) if of.values is None else of.values[begin:end].tolist()
        return dict(zip([of.names[k] for k in of.features[begin:end]], own, strict=True))

    for c in range(len(candidates)):
        assert named(read, c) == {name: one for name, one in named(candidates, c).items() if name in vocabulary}


def test_no_features_are_asked_for_where_they_have_no_names(tmp_path):
    write_candidates(tmp_path / "c.npz", replace(make(), names=None))
    read = read_candidates(tmp_path / "c.npz", [])
    assert (len(read.features), read.feature_count, len(read)) == (0, 0, len(make()))
    with pytest.raises(UsageError, match="has no feature names"):
        read_candidates(tmp_path / "c.npz", ["f1"])


def test_a_cutoff_leaves_out_rare_features(tmp_path):
    path = tmp_path / "c.jsonl"
    line = '{"candidates": [{"log_probability": 0, "features": ["a", "%s"]}]}\n'
    path.write_text("".join(line % i for i in range(3)))
    assert list(read_candidates(path, cutoff=2).names) == ["a"]


GOOD = {"log_probability": -1.5, "gold": 1, "features": ["a"]}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "this is not JSON at column 2"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", 'expected an object with a list of "candidates"'),
        ({"candidates": 3}, 'expected an object with a list of "candidates"'),
        ({"candidates": []}, "the list of candidates is empty; leave the sentence out"),
        ({"candidates": [3]}, "expected every candidate to be an object"),
        ({"candidates": [GOOD, {}]}, 'a finite number as "log_probability" of each candidate, not nothing'),
        ({"candidates": [GOOD | {"gold": "1"}]}, 'a finite number as "gold" of each candidate, not "1"'),
        ({"candidates": [GOOD | {"gold": True}]}, "not true"),
        ({"candidates": [GOOD | {"gold": 10**400}]}, "expected a finite number"),
        ({"candidates": [GOOD | {"log_probability": float("nan")}]}, "not NaN"),
        ({"candidates": [GOOD | {"features": "a"}]}, "expected names"),
        ({"candidates": [GOOD | {"features": [1]}]}, "expected names"),
        ({"candidates": [GOOD | {"features": {"a": None}}]}, "the value of feature 'a', not nothing"),
        ({"candidates": [GOOD | {"text": "t"}]}, "either all sentences have ids, or none"),
        ({"candidates": [GOOD | {"size": 2}, GOOD]}, '"size" of each candidate, not nothing'),
        (b'{"candidates": "\xff"}', "byte 17 of the line, 0xff, is not UTF-8"),
    ],
)
def test_bad_lines_are_refused_with_their_place(tmp_path, line, reason):
    path = tmp_path / "bad.jsonl"
    text = line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
    path.write_bytes(json.dumps({"candidates": [GOOD]}).encode() + b"\n\n" + text + b"\n")
    with pytest.raises(CandidatesError) as caught:
        read_candidates(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_files_are_refused(tmp_path):
    text = gzip.compress(json.dumps({"candidates": [GOOD]}).encode() * 50)
    (tmp_path / "cut.jsonl.gz").write_bytes(text[:-9])
    with pytest.raises(CandidatesError, match="cut short"):
        read_candidates(tmp_path / "cut.jsonl.gz")
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    with pytest.raises(UsageError, match="it is empty"):
        read_candidates(tmp_path / "empty.jsonl")
    with pytest.raises(UsageError, match="cannot read"):
        read_candidates(tmp_path / "missing.jsonl")


def test_damaged_archives_are_refused(tmp_path):
    path = tmp_path / "c.npz"
    write_candidates(path, make(ids=True))
    whole = path.read_bytes()
    for length in range(4, len(whole), 997):
        path.write_bytes(whole[:length])
        with pytest.raises(UsageError, match="damaged"):
            read_candidates(path)
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(UsageError, CandidatesError):  # what looks right is taken; nothing else is raised
            read_candidates(path)


def test_foreign_archives_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(UsageError, match="the array 'offsets' is missing"):
        read_candidates(tmp_path / "other.npz")
    arrays = {name: getattr(make(), name) for name in COLUMNS[:5]}
    np.savez(tmp_path / "objects.npz", **(arrays | {"gold": np.array([{}] * len(arrays["gold"]))}))
    with pytest.raises(UsageError, match="not a one-dimensional array of numbers"):
        read_candidates(tmp_path / "objects.npz")
    np.savez(tmp_path / "wild.npz", **(arrays | {"features": arrays["features"] * 0 - 5}))
    with pytest.raises(UsageError, match="must be numbers in increasing order"):
        read_candidates(tmp_path / "wild.npz")


def test_features_without_names_are_written_by_number(tmp_path):
    candidates = Candidates(np.array([0, 1]), np.zeros(1), np.ones(1), np.array([0, 2]), np.array([3, 7]))
    write_candidates(tmp_path / "c.jsonl", candidates)
    assert list(read_candidates(tmp_path / "c.jsonl").names) == ["3", "7"]
