"""The executor that the command line asks for."""

from __future__ import annotations

from treewright.execution.executor import Executor
from treewright.execution.local import LocalProcesses
from treewright.execution.ray_cluster import RayCluster

__all__ = ["make_executor"]


def make_executor(workers: int = 0, cluster: str | None = None) -> Executor:
    """Make an executor.

    Parameters
    ----------
    workers : int
        The number of workers; 0 means one for each core of this machine or of the cluster.
    cluster : str, optional
        The address of a cluster (see `RayCluster`); by default, processes on this machine.
    """
    return RayCluster(cluster, workers) if cluster else LocalProcesses(workers)
