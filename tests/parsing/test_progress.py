"""Progress of training: who is told, and what."""

import logging
import subprocess
import sys

import treewright
from treewright.learning import Epoch
from treewright.parsing.progress import Reporter


def test_progress_goes_to_the_log(caplog):
    caplog.set_level(logging.INFO, "treewright")
    report = Reporter()
    report.stage("tagger", 0.5)
    report.stage("tagger", 1.0)
    report.epoch(Epoch(3, 0.5, 2.0, {"LAS": 81.5}, True))
    assert caplog.messages == ["finished stage: tagger", "epoch 3: loss 0.500, dev {'LAS': 81.5}, 2 s, the best so far"]


def test_the_library_writes_nothing_by_itself():
    code = "import treewright; treewright.load('en')('German is not English.')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")


def test_models_that_are_opened_are_logged(caplog):
    caplog.set_level(logging.INFO, "treewright")
    treewright.load("en")
    assert any("en.tw, a model of dependencies" in message for message in caplog.messages)
