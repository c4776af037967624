"""Clustering: words that keep the same company, as bit strings in a hierarchy (Brown et al. 1992)."""

from treewright.clustering.brown import brown_clusters, mutual_information
from treewright.clustering.corpus import Bigrams, CorpusReader, count_bigrams
from treewright.clustering.paths import Clusters

__all__ = ["Bigrams", "Clusters", "CorpusReader", "brown_clusters", "count_bigrams", "mutual_information"]
