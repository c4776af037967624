"""Where tests find their data."""

from pathlib import Path

TESTS = Path(__file__).parent

#: Small files of the project's own.
DATA = TESTS / "data"

#: Whole treebanks beside the project, where there are any.
TREEBANKS = TESTS.parents[1] / "shared" / "data"
