"""Files in and out: compressed, damaged, missing, and never half written."""

import gzip
import io
import lzma
import os
import stat

import pytest

from treewright.clustering.corpus import CorpusReader
from treewright.clustering.paths import Clusters
from treewright.errors import TreebankError, TreewrightError, UsageError
from treewright.files import atomic_output, lines_of, open_input
from treewright.reranking.candidates.files import read_candidates
from treewright.treebank import RawText, read

TEXT = b"".join(b"1\tword%d\t_\t_\t_\t_\t0\troot\t_\t_\n\n" % i for i in range(2000))
COMPRESS = {"gz": gzip.compress, "xz": lzma.compress}


def write_through(path, data):
    with atomic_output(path) as file:
        file.write(data)


@pytest.mark.parametrize("name", ["plain", "a.gz", "a.xz"])
def test_what_is_written_is_read(tmp_path, name):
    write_through(tmp_path / name, TEXT)
    with open_input(tmp_path / name) as file:
        assert file.read() == TEXT
    assert ((tmp_path / name).stat().st_size < len(TEXT)) == (name != "plain")


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files_are_known_by_what_they_hold(tmp_path, kind):
    path = tmp_path / "no-suffix"
    path.write_bytes(COMPRESS[kind](TEXT))
    with open_input(path) as file:
        assert file.read() == TEXT


def test_the_same_bytes_give_the_same_compressed_file(tmp_path):
    write_through(tmp_path / "a.gz", TEXT)
    write_through(tmp_path / "b.gz", TEXT)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.999])
def test_a_cut_file_is_a_treebank_error(tmp_path, kind, kept):
    path = tmp_path / f"cut.{kind}"
    whole = COMPRESS[kind](TEXT)
    path.write_bytes(whole[: int(kept * len(whole))])
    for on_error in ("raise", "skip"):
        with pytest.raises(TreebankError, match="cut short") as caught:
            list(read(path, on_error=on_error))
        assert "\n" not in str(caught.value)
        assert caught.value.path == str(path)


def test_sentences_before_the_cut_are_read(tmp_path):
    path = tmp_path / "cut.gz"
    rest = os.urandom(20_000).hex().encode()
    path.write_bytes(gzip.compress(TEXT + rest)[:-12_000])
    found = []
    with pytest.raises(TreebankError, match="cut short") as caught:
        found.extend(read(path))
    assert 0 < len(found) <= 2000
    assert caught.value.line == 2 * len(found) + 1


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_file_is_a_treebank_error(tmp_path, kind):
    path = tmp_path / f"damaged.{kind}"
    whole = COMPRESS[kind](TEXT)
    for place in (12, len(whole) // 2, len(whole) - 8):
        raw = bytearray(whole)
        raw[place] ^= 0xFF
        path.write_bytes(raw)
        with pytest.raises(TreebankError):
            list(read(path))


def test_a_wrong_check_sum_is_noticed(tmp_path):
    path = tmp_path / "damaged.gz"
    raw = bytearray(gzip.compress(TEXT))
    raw[-8] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(TreebankError, match="the compressed data is damaged"):
        list(read(path, on_error="skip"))


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_plain_file_with_the_suffix_of_a_compressed_one(tmp_path, kind):
    path = tmp_path / f"plain.{kind}"
    path.write_bytes(TEXT)
    with pytest.raises(TreebankError, match="the compressed data is damaged"):
        list(read(path))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*/missing: No such file"):
        list(read(tmp_path / "missing"))
    with pytest.raises(UsageError, match="Is a directory"):
        list(read(tmp_path))
    for name in ("", "a\0b"):
        with pytest.raises(UsageError, match="is not the name of a file"):
            list(read(name))


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match=r"cannot write .* No such file or directory"):
        write_through(tmp_path / "missing" / "file", b"")
    with pytest.raises(UsageError, match="it is a directory"):
        write_through(tmp_path, b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="everything is permitted to root")
def test_files_without_permission(tmp_path):
    path = tmp_path / "closed"
    path.touch(0o000)
    with pytest.raises(UsageError, match="Permission denied"):
        list(read(path))
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        write_through(tmp_path / "new", b"")


@pytest.mark.parametrize("name", ["a", "a.gz", "a.xz"])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_nothing_behind(tmp_path, name, kind):
    def fail():
        with atomic_output(tmp_path / name) as file:
            file.write(b"half")
            raise kind

    with pytest.raises(kind):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with atomic_output(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_full_disk_is_a_usage_error(tmp_path):
    with (
        pytest.raises(UsageError, match=r"cannot write .*a: No space left on device"),
        atomic_output(tmp_path / "a"),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_mode_and_link_are_kept(tmp_path):
    path, link, plain = tmp_path / "a", tmp_path / "link", tmp_path / "plain"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_through(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_through(tmp_path / "new", b"")
    plain.touch()
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no /dev/null")
def test_a_device_is_written_directly():
    write_through("/dev/null", b"text")
    assert not os.path.isfile("/dev/null")


@pytest.fixture(scope="module")
def endless_line(tmp_path_factory):
    """A small file of one line that would fill the memory, or might."""
    path = tmp_path_factory.mktemp("bomb") / "line.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(65):
            file.write(b"x" * (1 << 20))
    return path


@pytest.mark.parametrize(
    "read_it",
    [Clusters.read, read_candidates, lambda path: list(RawText([path])), lambda path: CorpusReader().read(path)],
    ids=["clusters", "candidates", "raw text", "corpus"],
)
def test_a_line_without_end_is_refused(endless_line, read_it):
    with pytest.raises(TreewrightError, match=r"line.gz:1.*: a line is longer than 67,108,864 bytes"):
        read_it(endless_line)


def test_lines_are_those_of_the_file():
    text = b"a\n\nbb\r\nccc"
    assert list(lines_of(io.BytesIO(text), 4)) == list(io.BytesIO(text))
    with pytest.raises(OSError, match="longer than 3 bytes"):
        list(lines_of(io.BytesIO(text), 3))
