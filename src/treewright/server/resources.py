"""What answers are made with, and how they are written."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from treewright.server.metrics import Metrics
from treewright.server.models import Models
from treewright.server.settings import ServerSettings

__all__ = ["Resources", "to_bytes"]


class Resources(NamedTuple):
    """What those who plan answers have at hand."""

    models: Models
    settings: ServerSettings
    metrics: Metrics


def to_bytes(data: Any) -> bytes:
    """Write plain data as JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
