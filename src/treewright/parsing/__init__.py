"""What all parsers share: one contract, ranked trees, tags, calibration, corpora, progress.

`TreeParser` is the contract; `treewright.dependency`, `treewright.constituency` and `treewright.reranking` hold the
parsers.
"""

from treewright.parsing.corpus import FormatShard
from treewright.parsing.parser import KBestShard, ParseShard, ParsingOptions, TreeParser, shards_of
from treewright.parsing.ranked import Ranked
from treewright.parsing.trainer import Trainer

__all__ = ["FormatShard", "KBestShard", "ParseShard", "ParsingOptions", "Ranked", "Trainer", "TreeParser", "shards_of"]
