"""How fast words are clustered, and how much of the text's information the clusters keep.

Run as ``python benchmarks/clustering.py [en.txt.xz] [--clusters 100 500 1000] [--all]``: the first 45,000 lines, words
seen 10 times or more; with ``--all``, the whole text, words seen twice or more, and the last number of clusters.

The peer is Liang's ``wcluster`` (C++, one thread), measured on the same lines and the same class of machine; its
numbers are below.  Information is the average mutual information of the clusters of adjacent kept words of a line, in
nats.
"""

import argparse
import itertools
import resource
import time
from pathlib import Path

from treewright.clustering import CorpusReader, brown_clusters, count_bigrams, mutual_information
from treewright.files import open_input

LINES, MIN_COUNT = 45_000, 10

#: Clusters → CPU seconds and mutual information of wcluster.
WCLUSTER = {100: (7.7, 0.9405), 500: (130.0, 1.4457), 1000: (511.0, 1.7179)}


def timed(work):
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def memory():
    """Give the most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compare(path, sizes):
    reader = CorpusReader()

    def read():
        with open_input(path) as file:
            for line in itertools.islice(file, LINES):
                reader.add(line)
        return reader.count(MIN_COUNT)

    bigrams, seconds = timed(read)
    print(f"{reader.words:,} words, {len(bigrams):,} types kept; read in {seconds:.2f} CPU s\n")
    print("| clusters | CPU s | wcluster | times as fast | information | wcluster | share |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        clusters, seconds = timed(lambda size=size: brown_clusters(bigrams, size))
        information = mutual_information(bigrams, clusters)
        peer, theirs = WCLUSTER.get(size, (float("nan"), float("nan")))
        speed = f"{seconds:.2f} | {peer:.1f} | {peer / seconds:.0f}×"
        print(
            f"| {size} | {speed} | {information:.4f} | {theirs:.4f} | {100 * information / theirs:.2f} % |", flush=True
        )
    print(f"\npeak memory {memory():.0f} MB")


def cluster_all(path, size):
    reader = CorpusReader()
    _, reading = timed(lambda: reader.read(path))
    bigrams, counting = timed(lambda: reader.count(2))
    print(f"{reader.words:,} words, {len(bigrams):,} types, {bigrams.pairs.nnz:,} pairs of types", flush=True)
    clusters, seconds = timed(lambda: brown_clusters(bigrams, size))
    print(f"CPU s: {reading:.1f} to read, {counting:.1f} to count, {seconds:.1f} to make {size} clusters")
    print(f"information {mutual_information(bigrams, clusters):.4f}; peak memory {memory():.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text", nargs="?", type=Path, default=Path("../shared/data/raw/en.txt.xz"))
    parser.add_argument("--clusters", nargs="+", type=int, default=sorted(WCLUSTER))
    parser.add_argument("--all", action="store_true", help="the whole text")
    arguments = parser.parse_args()
    brown_clusters(count_bigrams(["a b c", "b a"]), 2)  # compiles
    if arguments.all:
        cluster_all(arguments.text, arguments.clusters[-1])
    else:
        compare(arguments.text, arguments.clusters)


if __name__ == "__main__":
    main()
