"""Clustering: a hierarchy of words that occur in similar contexts, as bit strings (Brown et al. 1992)."""

from treewright.clustering.brown import brown_clusters, mutual_information
from treewright.clustering.corpus import Bigrams, CorpusReader, count_bigrams
from treewright.clustering.paths import Clusters

__all__ = ["Bigrams", "Clusters", "CorpusReader", "brown_clusters", "count_bigrams", "mutual_information"]
