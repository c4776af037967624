"""``--model auto``: the language of each paragraph is told, and each parsed by the model of its language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO, Final, NamedTuple

from treewright.cli.console import compiling, notice
from treewright.cli.texts import CHUNK, TextReader, identified
from treewright.dependency.parser import Parser
from treewright.errors import UsageError
from treewright.model import find_model, read_catalogue
from treewright.model.container import read_manifest
from treewright.parsing import KBestShard, ParseShard, ParsingOptions
from treewright.parsing.languages import LanguageShard, in_language
from treewright.parsing.parser import ShardTask
from treewright.tokenization import LanguageGuess, Splitter, identify_language, name_of_language
from treewright.treebank import Sentence

__all__ = ["FALLBACK", "LanguageReader", "Languages", "find_model_of", "tasks_by_language"]

#: The language of a text of which nothing can be said.
FALLBACK: Final = "en"

#: How many paragraphs at the beginning may wait until it is clear which language is around them.
_PATIENCE: Final = 100


def find_model_of(language: str) -> str | None:
    """Find the model of dependencies of a language: the one that has its code for a name, or else begins with it."""
    names = [name for name in read_catalogue().models if name == language or name.startswith(f"{language}-")]
    return next((name for name in sorted(names, key=len) if _is_of(name, language)), None)


def _is_of(name: str, language: str) -> bool:
    manifest = read_manifest(find_model(name))
    info = manifest.get("info")
    return manifest.get("kind") == Parser.KIND and isinstance(info, dict) and info.get("language") == language


def tasks_by_language(how: ParsingOptions, k: int) -> LanguageShard[Any]:
    """Return what parses each sentence by the model of its language, and finds the k best trees."""
    return LanguageShard(partial(_task_of, how, k))


def _task_of(how: ParsingOptions, k: int, language: str) -> ShardTask[Any]:
    parser = Parser.open(find_model_of(language) or FALLBACK)
    return KBestShard(parser, how, k) if k > 1 else ParseShard(parser, how)


class _Paragraph(NamedTuple):
    line: int  # the number of its first line
    lines: list[str]  # with the blank lines behind it
    guess: LanguageGuess


@dataclass
class Languages:
    """Tells which language paragraphs are in, and has the models of those languages at hand.

    Where it is not sure of a paragraph, the last one of which it was decides; at the beginning of a text, the next one;
    and if there is none, it is English.
    """

    task: LanguageShard[Any]
    kernels: Callable[[Parser], str]  # what has to be compiled for a parser
    skips: bool  # whether to leave out paragraphs in languages without a model, rather than to stop
    quiet: bool
    is_noted: bool = False  # that it was not sure, once
    ready: dict[str, bool] = field(default_factory=dict)  # whether there is a model of a language

    def decide(self, lines: Iterable[str], name: str, *, by_line: bool, waits: bool) -> Iterator[tuple[str, str]]:
        """Yield the lines, each with its language; those in languages without a model may be left out.

        Paragraphs end at blank lines; ``by_line``, each line is one.  Unless it ``waits``, nothing that comes later is
        asked for.
        """
        current, waiting = "", list[_Paragraph]()
        for paragraph in _paragraphs(lines, by_line):
            if paragraph.guess.is_sure:
                if not self._has_model(paragraph, name):
                    continue
                current = paragraph.guess.language
            elif waits and not current and len(waiting) < _PATIENCE:
                waiting.append(paragraph)
                continue
            for one in (*waiting, paragraph):
                yield from self._lines(one, current, name)
            waiting = []
        for one in waiting:
            yield from self._lines(one, current, name)

    def _lines(self, paragraph: _Paragraph, current: str, name: str) -> Iterator[tuple[str, str]]:
        language = current or FALLBACK
        guess = paragraph.guess
        if not (guess.is_sure or self.is_noted or self.quiet) and guess.language not in ("", language):
            self.is_noted = True
            why = "like the text around it" if current else "for want of anything better"
            notice(
                f"{name}:{paragraph.line}: not sure which language this is ({name_of_language(guess.language)}?): "
                f"read as {name_of_language(language)}, {why}; said once."
            )
        self._prepare(language)
        yield from ((language, line) for line in paragraph.lines)

    def _has_model(self, paragraph: _Paragraph, name: str) -> bool:
        """Check that there is a model of the language of a paragraph; without one, stop, or skip the paragraph."""
        language = paragraph.guess.language
        if language not in self.ready:
            self.ready[language] = find_model_of(language) is not None
        if self.ready[language]:
            return True
        missing = (
            f"{name}:{paragraph.line}: this looks like {name_of_language(language)}, and there is no model of it "
            f"named {language}; treewright models lists those there are"
        )
        if not self.skips:
            raise UsageError(f"{missing}; choose one with --model, or leave such paragraphs out with --on-error skip")
        notice(f"{missing} (paragraph skipped)")
        return False

    def splitter(self, language: str) -> Splitter:
        """Return what cuts text of a language into words."""
        return self.task.task(language).parser.splitter

    def _prepare(self, language: str) -> None:
        """Open the model of a language when it is first needed, and compile what it takes, here and not in workers."""
        if language not in self.task.tasks:
            task = self.task.task(language)
            assert isinstance(task.parser, Parser)
            with compiling(self.kernels(task.parser)) as cold:
                if cold:
                    task([Sentence.from_forms(["Go"], xpos=["VB"])])


@dataclass(frozen=True)
class LanguageReader(TextReader):
    """Reads raw text in several languages; the comments of sentences name them."""

    languages: Languages = field(kw_only=True)

    def read(self, stream: BinaryIO, name: str) -> Iterator[Sentence]:
        """Read the sentences of a stream."""
        sentences = self._in_languages(self.lines(stream, name), name)
        return sentences if self.document is None else identified(sentences, self.document)

    def _in_languages(self, lines: Iterator[str], name: str) -> Iterator[Sentence]:
        by_line = self.typed or self.format != "text"
        decided = self.languages.decide(lines, name, by_line=by_line, waits=not self.typed)
        for language, run in groupby(decided, itemgetter(0)):
            reader = replace(self, splitter=self.languages.splitter(language))
            yield from in_language(reader._sentences(line for _, line in run), language)


def _paragraphs(lines: Iterable[str], by_line: bool) -> Iterator[_Paragraph]:
    """Cut lines into paragraphs, with the blank lines behind them; long ones in pieces."""
    held: list[str] = []
    first, number, size, is_over = 1, 1, 0, False
    for line in lines:
        is_blank = not line.strip()
        if held and ((is_over and not is_blank) or size > CHUNK):
            yield _Paragraph(first, held, identify_language("".join(held)))
            held, first, size = [], number, 0
        held.append(line)
        size += len(line)
        number += line.endswith("\n")
        is_over = is_blank or by_line
    if held:
        yield _Paragraph(first, held, identify_language("".join(held)))
