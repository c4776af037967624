"""The parser: text to trees.  Tokenizer, tagger, features and search, one after the other."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import ModelError, UsageError
from treewright.features import DependencyFeatures, FeatureSettings, Vocabulary, Weights
from treewright.inference import Trees
from treewright.storage import load_model, save_model
from treewright.tagging import ColumnFeatures, ColumnSettings, Tagger
from treewright.tokenization import tokenize
from treewright.treebank import Sentence

__all__ = ["KIND", "Parser"]

#: What the manifest of a model file of this kind says it is.
KIND = "dependency-parser"

#: The longest sentence that is parsed: its label scores take some 200 MB.
MAX_WORDS = 1_000


class Parser:
    """Finds the best tree of each sentence.

    Made by `treewright.load` or `treewright.train_parser`.

    Attributes
    ----------
    info : dict
        What the model is: name, language, treebank, licence, how it was trained, its scores on the dev set.

    Examples
    --------
    >>> import treewright
    >>> parser = treewright.load("en")
    >>> [sentence] = parser.parse("The dog chased a cat.")
    >>> sentence.forms
    ['The', 'dog', 'chased', 'a', 'cat', '.']
    >>> sentence.heads.tolist()
    [2, 3, 0, 5, 3, 3]
    >>> sentence.deprels
    ['det', 'nsubj', 'root', 'det', 'obj', 'punct']
    """

    def __init__(
        self,
        features: DependencyFeatures,
        weights: Weights,
        trees: Trees,
        tagger: Tagger | None,
        info: Mapping[str, Any],
    ) -> None:
        self.features = features
        self.weights = weights
        self.trees = trees
        self.tagger = tagger
        self.info = dict(info)

    def parse(self, text: str | Sequence[str] | Sentence, *, keep_tags: bool = False) -> list[Sentence]:
        """Parse text, the words of one sentence, or a sentence of a treebank.

        Parameters
        ----------
        text : str, sequence of str, or Sentence
            Text is split into sentences and words.  A sequence of words, or a `Sentence`, is one sentence.
        keep_tags : bool
            Whether to use the tags that a `Sentence` has, instead of tagging it.

        Returns
        -------
        list of Sentence
            With heads and relations filled in, and tags unless they were kept.

        Examples
        --------
        >>> import treewright
        >>> [sentence] = treewright.load("en").parse(["Trees", "grow", "."])
        >>> sentence.upos, sentence.heads.tolist()
        (['NOUN', 'VERB', 'PUNCT'], [2, 0, 2])
        """
        if isinstance(text, Sentence):
            return [self.parse_sentence(text, keep_tags=keep_tags)]
        if isinstance(text, str):
            sentences: Iterable[Sentence] = tokenize(text, self.info.get("language", ""))
        else:
            sentences = [Sentence.from_forms(list(text))] if text else []
        return [self.parse_sentence(sentence) for sentence in sentences]

    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> Sentence:
        """Parse one sentence; everything but tags, heads and relations stays as it is."""
        if not len(sentence):
            return sentence
        if len(sentence) > MAX_WORDS:
            raise UsageError(f"a sentence of {len(sentence):,} words is too long to parse (the limit is {MAX_WORDS:,})")
        if not keep_tags:
            sentence = self._tag(sentence)
        scores = self.features.score(self.features.hash(sentence), self.weights)
        parse = self.trees.argmax(scores)
        assert parse.labels is not None
        labels = self.features.labels
        return sentence.replace(heads=parse.heads[1:], deprels=[labels[label] for label in parse.labels[1:]])

    def parse_all(
        self, sentences: Iterable[Sentence], *, keep_tags: bool = False, threads: int | None = None
    ) -> Iterator[Sentence]:
        """Parse many sentences, in order, on several threads.

        Parameters
        ----------
        sentences : iterable of Sentence
            Read only a little ahead, so that any number of them can be streamed.
        keep_tags : bool
            See `parse`.
        threads : int, optional
            How many to use; all cores unless given.
        """
        threads = threads or os.cpu_count() or 1
        if threads == 1:
            yield from (self.parse_sentence(sentence, keep_tags=keep_tags) for sentence in sentences)
            return
        with ThreadPoolExecutor(threads) as pool:
            pending: deque[Future[list[Sentence]]] = deque()
            for batch in _batches(sentences, 32):
                pending.append(pool.submit(self._parse_batch, batch, keep_tags))
                if len(pending) > 2 * threads:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()

    def _parse_batch(self, sentences: Sequence[Sentence], keep_tags: bool) -> list[Sentence]:
        return [self.parse_sentence(sentence, keep_tags=keep_tags) for sentence in sentences]

    def _tag(self, sentence: Sentence) -> Sentence:
        if self.tagger is None:
            raise UsageError(
                "this model has no tagger, as it was trained on gold tags: "
                "give it tagged CoNLL-U with --keep-tags, or train one with --tags predicted"
            )
        return self.tagger.tag(sentence)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; nothing is written if it fails."""
        manifest: dict[str, Any] = {
            "kind": KIND,
            "info": self.info,
            "trees": asdict(self.trees),
            "features": self.features.to_dict(),
            "scale": self.weights.scale,
            "tagger": None,
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "weights": self.weights.values,
            "vocabulary": self.features.vocabulary.hashes,
        }
        if self.tagger is not None:
            manifest["tagger"] = []
            for column, weights in self.tagger.columns:
                manifest["tagger"].append({"settings": asdict(column.settings), "scale": weights.scale})
                arrays[f"tagger.{column.settings.column}"] = weights.values
        save_model(path, manifest, arrays)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Parser:
        """Open a model file.

        Raises
        ------
        ModelError
            If it is not a sound model file of this kind.
        """
        manifest, arrays = load_model(path)
        if manifest.get("kind") != KIND:
            raise ModelError(f"{os.fspath(path)}: this is a model of another kind ({manifest.get('kind')})")
        try:
            parser = cls._from_content(manifest, arrays)
        except (AttributeError, KeyError, NotImplementedError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ModelError(
                f"{os.fspath(path)}: the model is corrupted, or made by another version of Treewright ({reason})"
            ) from error
        columns = parser.tagger.columns if parser.tagger else []
        for size, table in [
            (parser.features.size, parser.weights),
            *((column.size, weights) for column, weights in columns),
        ]:
            if table.values.dtype != np.int8 or table.values.shape != (size,):
                raise ModelError(f"{os.fspath(path)}: the model is corrupted (its weights do not fit its features)")
        return parser

    @classmethod
    def _from_content(cls, manifest: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Parser:
        """Put together what `save` took apart."""
        features = DependencyFeatures(FeatureSettings(**manifest["features"]), Vocabulary(arrays["vocabulary"]))
        weights = Weights(arrays["weights"], float(manifest["scale"]))
        tagger = None
        if manifest["tagger"] is not None:
            columns = []
            for stage in manifest["tagger"]:
                settings = ColumnSettings(**stage["settings"])
                table = Weights(arrays[f"tagger.{settings.column}"], float(stage["scale"]))
                columns.append((ColumnFeatures(settings), table))
            tagger = Tagger(columns)
        return cls(features, weights, Trees(**manifest["trees"]), tagger, manifest["info"])


def _batches(sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
    iterator = iter(sentences)
    while batch := list(itertools.islice(iterator, size)):
        yield batch
