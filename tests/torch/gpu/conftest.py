"""Kernels run on a GPU if there is one, and otherwise in Triton's interpreter, which must be said before its import."""

import os

import pytest

torch = pytest.importorskip("torch")

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"

pytest.importorskip("triton")
