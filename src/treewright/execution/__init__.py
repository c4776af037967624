"""Execution: one task on many shards of data, in this process, in several, or on a cluster.

One interface (`Executor.map`) serves everything that is too much for one core: parsing, gradients, expected counts.
The size of shards does not depend on the number of workers, and results come in the order of the shards, so sums are
the same to the last bit on one worker or many.

>>> from treewright.execution import Task, Threads, sharded
>>> class CountWords(Task[list[str], int]):
...     def __call__(self, shard):
...         return sum(len(line.split()) for line in shard)
>>> lines = ["one tree", "two trees", "and a third"]
>>> list(Threads(2).map(CountWords(), sharded(lines, 2)))
[4, 3]
"""

from treewright.execution.choice import make_executor
from treewright.execution.executor import Executor
from treewright.execution.keep import Keep, dump_arrays, load_arrays
from treewright.execution.local import LocalProcesses
from treewright.execution.ray_cluster import RayCluster
from treewright.execution.shards import sharded
from treewright.execution.tasks import Constant, Task
from treewright.execution.threads import Threads

__all__ = [
    "Constant",
    "Executor",
    "Keep",
    "LocalProcesses",
    "RayCluster",
    "Task",
    "Threads",
    "dump_arrays",
    "load_arrays",
    "make_executor",
    "sharded",
]
