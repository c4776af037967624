"""Kernels run on a GPU if there is one, and otherwise in Triton's interpreter (`tests.conftest`)."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")
