"""A cluster: how it is found, and what is said when it is not."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.execution.conftest import needs_ray
from tests.waiting import HANGING, wait_until
from treewright.errors import UsageError
from treewright.execution import LocalProcesses, RayCluster, make_executor
from treewright.treebank import write

HEAD = "start --head --block --num-cpus=2 --node-ip-address=127.0.0.1 --include-dashboard=false --disable-usage-stats"

#: The command ``ray``, with a clock on which its 30 seconds for starting last five minutes.
PATIENT = """
import time, types
import ray._private.node as node, ray.scripts.scripts as scripts
node.time = types.SimpleNamespace(**vars(time) | {"monotonic": lambda: time.monotonic() / 10})
scripts.main()
"""


def free_port(start):
    """Find a port from this one on, below those that Ray gives to its workers."""
    return next(port for port in range(start, 10_000) if not is_open(port))


def is_open(port):
    """Return whether something answers at a port of this machine."""
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", port))


@pytest.fixture
def own_folder(ray_folder, monkeypatch):
    """A place where there is no cluster yet."""
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        yield folder


@pytest.fixture(scope="module")
def parse(tmp_path_factory, ewt, text_parser):
    """A command that parses three shards of sentences: what it writes, and a function that runs it on a cluster."""
    folder = tmp_path_factory.mktemp("corpus")
    corpus, model = folder / "corpus.conllu", folder / "model.tw"
    write(ewt * 18, corpus)
    text_parser.save(model)

    def run(*options):
        command = [sys.executable, "-m", "treewright", "parse", str(corpus), "--model", str(model), "--quiet", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=2 * HANGING, check=False)

    def run_on_cluster(*options):
        """Run it again where the cluster could not be started in time."""
        deadline = time.monotonic() + HANGING
        while "cannot reach the cluster" in (there := run(*options)).stderr and time.monotonic() < deadline:
            pass
        return there

    expected = run("--workers", "1").stdout  # and everything is compiled
    assert expected.count("\n\n") == 18 * 43
    return expected, run_on_cluster


@needs_ray
def test_a_cluster_that_runs_is_used(own_folder, parse):
    expected, run = parse
    gcs = free_port(9_400)
    client = free_port(gcs + 1)
    arguments = [*HEAD.split(), f"--port={gcs}", f"--ray-client-server-port={client}"]
    with open(f"{own_folder}/log", "wb") as log:
        head = subprocess.Popen([sys.executable, "-c", PATIENT, *arguments], stdout=log, stderr=log)

    def is_ready():  # the port alone is open before anything behind it is
        return is_open(client) and "Ray runtime started" in Path(log.name).read_text(encoding="utf-8")

    try:
        assert wait_until(lambda: head.poll() is not None or is_ready())
        there = run("--cluster", f"ray://127.0.0.1:{client}")
    finally:
        head.terminate()
        head.wait(HANGING)
    assert not there.stderr
    assert there.stdout == expected


@needs_ray
def test_where_none_runs_one_is_started_and_stopped(own_folder, parse):
    expected, run = parse
    there = run("--cluster", "auto", "--workers", "2")
    # Ray itself warns where it finds the cluster of somebody else, and may not enter.
    assert not [line for line in there.stderr.splitlines() if "InvalidAuthToken" not in line]
    assert there.stdout == expected


@needs_ray
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ray://127.0.0.1:1", "Connection refused"),
        ("127.0.0.1:1", "Connection refused"),
        ("nowhere", "ray://host:port"),
        ("ray://nowhere.invalid:10001", "cannot reach the cluster ray://nowhere.invalid:10001"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_line(monkeypatch, address, words):
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    with pytest.raises(UsageError, match=words) as caught:
        RayCluster(address)
    assert "\n" not in str(caught.value)


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"^a cluster needs Ray: pip install 'treewright\[cluster\]'$"):
        make_executor(cluster="auto")


def test_without_a_cluster_there_are_processes():
    executor = make_executor(3)
    assert isinstance(executor, LocalProcesses)
    assert executor.count == 3
