"""``treewright convert``: treebanks from one format to another, constituents to dependencies among them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from treewright.cli.options import Output, Quiet
from treewright.errors import TreebankError, UsageError
from treewright.files import open_input

if TYPE_CHECKING:
    from treewright.treebank import HeadRules
    from treewright.treebank.constituents.brackets import Spaces
    from treewright.treebank.constituents.dependencies import Relations
    from treewright.treebank.constituents.simplification import EmptyElements
    from treewright.treebank.sentence import Format

__all__ = ["convert"]

_OF_BRACKETS = ("brackets", "constituents")

Source = Literal["brackets", "conllu", "conllx"]


def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Treebanks, plain or .gz/.xz; - is standard input.", metavar="FILES...", show_default=False
        ),
    ],
    from_: Annotated[
        Literal["brackets", "conllu", "conllx"] | None,
        typer.Option("--from", help="What the input is; told by the names of the files unless given (.mrg: brackets)."),
    ] = None,
    to: Annotated[
        Literal["conllu", "conllx", "json", "tree", "brackets", "constituents"],
        typer.Option(
            help="What to write. Of brackets alone: brackets, simplified, and constituents, drawn; tree draws "
            "dependencies."
        ),
    ] = "conllu",
    rules: Annotated[
        str, typer.Option(help="Head rules: collins, yamada-matsumoto, default, or a file of rules.")
    ] = "collins",
    relations: Annotated[
        Literal["triples", "none"],
        typer.Option(help="Name arcs by the labels of parent, head child and modifier (VP+VBD+NP), or not at all."),
    ] = "triples",
    empty: Annotated[
        Literal["penn", "historical", "keep"],
        typer.Option(
            help="Empty elements to remove: -NONE- of the Penn Treebank, or `*...*` and `0` of historical corpora."
        ),
    ] = "penn",
    keep_spaces: Annotated[
        bool, typer.Option("--keep-spaces", help="Several words in one bracket are one word with spaces in it.")
    ] = False,
    output: Output = None,
    on_error: Annotated[
        Literal["stop", "skip"], typer.Option(help="At something malformed: stop, or skip it and count it.")
    ] = "stop",
    quiet: Quiet = False,
) -> None:
    """Convert treebanks: constituent trees to dependencies, and one CoNLL format to another.

    Bracketed trees become CoNLL-U by head rules: every word hangs from the head of the constituent around it.

    **Examples**

    - `treewright convert wsj.mrg --output wsj.conllu`
    - `treewright convert wsj.mrg.gz --rules yamada-matsumoto --relations none --output wsj.conllu`
    - `treewright convert wsj.mrg --to constituents | less`
    - `treewright convert dev.conll --to conllu > dev.conllu`
    """
    from treewright.cli.console import notice, watched
    from treewright.cli.formats import destination
    from treewright.cli.sources import is_bracketed, refuse_missing, treebank_format
    from treewright.treebank import HeadRules

    refuse_missing(*(path for path in files if path != "-"))
    converter = _Converter(to, HeadRules.load(rules), relations, empty, keep_spaces, on_error == "skip")
    guessed = [from_ or ("brackets" if is_bracketed(path) else treebank_format(path)) for path in files]
    texts = converter.convert(list(zip(files, guessed, strict=True)))
    if not quiet:
        texts = watched(texts, "Converting", lambda: None, lambda seconds: f"{converter.done / seconds:,.0f} trees/s")
    with destination(output) as stream:
        for text in texts:
            stream.write(text.encode("utf-8", "replace"))
        stream.flush()
    if not quiet and (converter.skipped or output is not None):
        skipped = f"; skipped {converter.skipped:,} malformed ones" if converter.skipped else ""
        notice(f"Converted {converter.done:,} trees{skipped}.")


@dataclass
class _Converter:
    """What to write for every tree, and how many there have been."""

    to: str
    rules: HeadRules
    relations: Relations
    empty: EmptyElements
    keep_spaces: bool
    is_skipping: bool
    done: int = 0
    skipped: int = 0

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

        spaces: Spaces = "keep" if self.keep_spaces else "refuse"
        for tree in read_trees(stream, spaces=spaces, on_error=self._on_error, on_skip=self._note_skipped, name=name):
            if self.to in _OF_BRACKETS:
                simple = simplify(tree, empty=self.empty)
                if simple is not None:
                    yield format_tree(simple) + "\n" if self.to == "brackets" else draw_tree(simple) + "\n\n"
            else:
                sentence = to_dependencies(tree, self.rules, relations=self.relations, empty=self.empty)
                if len(sentence):
                    yield FORMATS[self.to](sentence)

    def _conll(self, stream: BinaryIO, name: str, format: Format) -> Iterator[str]:
        from treewright.cli.formats import FORMATS
        from treewright.treebank import read

        sentences = read(stream, format, self._on_error, self._note_skipped, name)
        return map(FORMATS[self.to], (sentence for sentence in sentences if len(sentence)))

    @property
    def _on_error(self) -> Literal["raise", "skip"]:
        return "skip" if self.is_skipping else "raise"

    def _note_skipped(self, error: TreebankError) -> None:
        from treewright.cli.console import notice

        self.skipped += 1
        notice(f"{error} (skipped)")
