"""How long the user waits: importing the package, and the first tree from the shell, cold and warm.

Usage: ``python benchmarks/startup.py``.  The cold run compiles into an empty cache of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

PARSE = [sys.executable, "-m", "treewright", "parse", "--text", "The quick brown fox jumps.", "--to", "tree"]
IMPORT = [sys.executable, "-c", "import treewright"]
NOTHING = [sys.executable, "-c", ""]


def wall(command, environment, repeat):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        rows = [
            ("python that does nothing", wall(NOTHING, environment, 5)),
            ("import treewright", wall(IMPORT, environment, 5)),
            ("treewright parse, one sentence, cold", wall(PARSE, environment, 1)),
            ("treewright parse, one sentence, warm", wall(PARSE, environment, 5)),
        ]
    print("| from the shell | wall s |\n| --- | --- |")
    for name, seconds in rows:
        print(f"| {name} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
