"""``treewright rerank``: list candidates, train rerankers on them, choose, judge, and see why."""

from __future__ import annotations

from treewright.cli.command import group
from treewright.cli.rerank.apply import apply
from treewright.cli.rerank.candidates import candidates
from treewright.cli.rerank.evaluate import evaluate
from treewright.cli.rerank.explain import explain
from treewright.cli.rerank.mix import mix
from treewright.cli.rerank.train import train

__all__ = ["rerank"]

_HELP = "Choose from the candidates of a parser with features of whole trees."
rerank = group("rerank", _HELP, apply, evaluate, explain, candidates, train, mix)
