"""``treewright convert``: treebanks from one format to another, constituents to dependencies among them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal

from treewright.cli.command import command
from treewright.cli.options import OnError, Output, Quiet
from treewright.errors import UsageError
from treewright.files import open_input
from treewright.options import EmptyElements, Options, option, required

if TYPE_CHECKING:
    from treewright.cli.sources import Skipped
    from treewright.treebank import HeadRules
    from treewright.treebank.constituents.brackets import Spaces
    from treewright.treebank.sentence import Format

__all__ = ["convert"]

_OF_BRACKETS = ("brackets", "constituents")

Source = Literal["brackets", "conllu", "conllx"]


@dataclass(frozen=True)
class ConvertOptions(Options):
    """What to convert, and to what."""

    files: tuple[str, ...] = required(
        "Treebanks, plain or .gz/.xz; - is standard input.", metavar="FILES...", positional=True
    )
    format: Literal["brackets", "conllu", "conllx"] | None = option(
        None,
        "The format of the input; told from the names of the files unless given (.mrg: brackets).",
        flags=("--from",),
    )
    to: (
        Literal["conllu", "conllx", "json", "tree", "svg", "html", "latex", "tsv", "brackets", "constituents"] | None
    ) = option(
        None,
        "What to write. Of brackets alone: brackets, simplified, and constituents, drawn; tree, svg, html and latex "
        "draw dependencies.",
        shown="as the name of --output says, or conllu",
    )
    rules: str = option("collins", "Head rules: collins, yamada-matsumoto, default, or a file of rules.")
    relations: Literal["triples", "none"] = option(
        "triples", "Name arcs by the labels of parent, head child and modifier (VP+VBD+NP), or not at all."
    )
    empty: EmptyElements = option(
        "penn", "Empty elements to remove: -NONE- of the Penn Treebank, or `*...*` and `0` of historical corpora."
    )
    keep_spaces: bool = option(False, "Read several words in one bracket as one word with spaces in it.")


@command
def convert(options: ConvertOptions, errors: OnError, output: Output = None, quiet: Quiet = False) -> None:
    """Convert treebanks: constituent trees to dependencies, and one CoNLL format to another.

    Bracketed trees become CoNLL-U by head rules: every word hangs from the head of the constituent around it.

    **Examples**

    - `treewright convert wsj.mrg --output wsj.conllu`
    - `treewright convert wsj.mrg.gz --rules yamada-matsumoto --relations none --output wsj.conllu`
    - `treewright convert wsj.mrg --to constituents | less`
    - `treewright convert dev.conll --to conllu > dev.conllu`
    - `treewright convert dev.conllu --output dev.html`
    """
    from treewright.cli.console import notice, watched
    from treewright.cli.formats import FORMATS, WHOLES, choose_format, destination
    from treewright.cli.sources import Skipped, refuse_missing
    from treewright.treebank import HeadRules

    refuse_missing(*(path for path in options.files if path != "-"))
    to = choose_format(options.to, output, (*FORMATS, "brackets"), terminal="conllu")
    converter = _Converter(options, to, HeadRules.load(options.rules), errors, Skipped("tree"))
    texts = converter.convert([(path, options.format or _guess(path)) for path in options.files])
    if not quiet:
        texts = watched(texts, "Converting", lambda: None, lambda seconds: f"{converter.done / seconds:,.0f} trees/s")
    with destination(output) as stream:
        for text in WHOLES.get(to, iter)(texts):
            stream.write(text.encode("utf-8", "replace"))
        stream.flush()
    skipped = converter.skipped.count
    if not quiet and (skipped or output is not None):
        notice(f"Converted {converter.done:,} trees{f'; skipped {skipped:,} malformed ones' if skipped else ''}.")


def _guess(path: str) -> Source:
    from treewright.cli.sources import is_bracketed, treebank_format

    return "brackets" if is_bracketed(path) else treebank_format(path)


@dataclass
class _Converter:
    """What to write for every tree, and how many there have been."""

    options: ConvertOptions
    to: str
    rules: HeadRules
    errors: OnError
    skipped: Skipped
    done: int = 0

    def convert(self, files: Sequence[tuple[str, Source]]) -> Iterator[str]:
        for path, format in files:
            if format != "brackets" and self.to in _OF_BRACKETS:
                raise UsageError(f"{path} has no constituents; --to {self.to} needs bracketed trees")
        for path, format in files:
            with nullcontext(sys.stdin.buffer) if path == "-" else open_input(path) as stream:
                name = "<stdin>" if path == "-" else path
                for text in self._brackets(stream, name) if format == "brackets" else self._conll(stream, name, format):
                    self.done += 1
                    yield text

    def _brackets(self, stream: BinaryIO, name: str) -> Iterator[str]:
        from treewright.cli.formats import FORMATS
        from treewright.treebank import draw_tree, format_tree, read_trees, simplify, to_dependencies

        spaces: Spaces = "keep" if self.options.keep_spaces else "refuse"
        for tree in read_trees(stream, spaces=spaces, on_error=self.errors.mode, on_skip=self.skipped, name=name):
            if self.to in _OF_BRACKETS:
                simple = simplify(tree, empty=self.options.empty)
                if simple is not None:
                    yield format_tree(simple) + "\n" if self.to == "brackets" else draw_tree(simple) + "\n\n"
            else:
                sentence = to_dependencies(tree, self.rules, relations=self.options.relations, empty=self.options.empty)
                if len(sentence):
                    yield FORMATS[self.to](sentence)

    def _conll(self, stream: BinaryIO, name: str, format: Format) -> Iterator[str]:
        from treewright.cli.formats import FORMATS
        from treewright.treebank import read

        sentences = read(stream, format, self.errors.mode, self.skipped, name)
        return map(FORMATS[self.to], (sentence for sentence in sentences if len(sentence)))
