"""How commands end."""

import os
import subprocess
import sys

from tests.paths import DATA


def test_a_reader_that_has_had_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)  # so that whatever is written fails
    command = [sys.executable, "-m", "treewright", "convert", str(DATA / "ewt.conllu")]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
