"""Finished shards on disk."""

from __future__ import annotations

import numpy as np
import pytest

from tests.execution import tasks
from treewright.errors import UsageError
from treewright.execution import Keep, Threads, dump_arrays, load_arrays
from treewright.files import atomic_output, unfinished


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def kept(tmp_path, notes):
    """A folder in which five shards are kept."""
    folder = tmp_path / "kept"
    with pytest.raises(UsageError), Keep(folder) as keep:
        list(Threads(1).map(tasks.Kept(notes, at=5), range(9), keep=keep))
    assert len(Keep(folder)) == 5
    return folder


def done_again(kept, notes, task=None):
    """Run it all, and tell which of the five shards were done again."""
    with Keep(kept) as keep:
        assert list(Threads(1).map(task or tasks.Kept(notes), range(9), keep=keep)) == [n**2 for n in range(9)]
    return [n for n in range(5) if len((notes / str(n)).read_text()) == 2]


def test_it_goes_on_where_it_was(kept, notes):
    assert done_again(kept, notes) == []
    assert not kept.exists()


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"7", lambda data: b""])
def test_a_damaged_file_counts_for_nothing(kept, notes, damage):
    for path in kept.iterdir():
        path.write_bytes(damage(path.read_bytes()))
    assert done_again(kept, notes) == [0, 1, 2, 3, 4]


def test_another_task_finds_nothing(kept, notes):
    class Another(tasks.Kept):
        def identify(self, shard):
            return b"other " + super().identify(shard)

    assert done_again(kept, notes, Another(notes)) == [0, 1, 2, 3, 4]
    assert not kept.exists()


def test_another_version_finds_nothing(kept, notes, monkeypatch):
    monkeypatch.setattr("treewright.execution.keep.__version__", "0.0.9")
    assert done_again(kept, notes) == [0, 1, 2, 3, 4]


def test_files_of_others_stay(kept, notes):
    (kept / "mine.txt").write_text("mine")
    done_again(kept, notes)
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]


def test_what_a_killed_process_was_writing_goes_too(kept, notes):
    with atomic_output(kept / "whole.shard"):
        [temporary] = unfinished(kept)
    temporary.write_bytes(b"half")
    assert done_again(kept, notes) == []
    assert not kept.exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot keep finished shards in .*file/kept"):
        Keep(tmp_path / "file" / "kept")


def test_a_task_must_say_how(tmp_path):
    with Keep(tmp_path) as keep, pytest.raises(TypeError, match="Square does not say how to keep"):
        list(Threads(1).map(tasks.Square(), [[1]], keep=keep))


def test_arrays_come_back_as_they_were():
    arrays = {"counts": np.arange(12.0).reshape(3, 4).T, "places": np.array([1, 2], np.int32)}
    back = load_arrays(dump_arrays(**arrays))
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array, strict=True)
