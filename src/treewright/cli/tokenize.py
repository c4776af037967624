"""``treewright tokenize``: text in, sentences and words out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treewright.cli.command import command
from treewright.cli.options import Input, OnError, Output, Quiet, check_language
from treewright.errors import UsageError
from treewright.options import Options, option

if TYPE_CHECKING:
    from treewright.tokenization import Splitter
    from treewright.treebank import Sentence

__all__ = ["tokenize"]


@dataclass(frozen=True)
class TokenizeOptions(Options):
    """How to tokenize, and what to write."""

    language: str | None = option(
        None, "Follow the rules of this language, as an ISO 639 code.", validate=check_language, shown="en"
    )
    model: str | None = option(
        None, "Tokenize as this parser does: the name of an embedded model, or a model file.", metavar="MODEL"
    )
    ranges: bool = option(
        False,
        "Write where each token is in the text, in MISC: TokenRange=0:5, counted in characters from the beginning of "
        "the file.",
    )
    to: Literal["conllu", "json", "lines", "tokens"] | None = option(
        None,
        "What to write: words in columns; or a sentence on each line, as it is (lines), or with spaces between its "
        "words (tokens).",
        shown="as the name of --output says, tokens on a terminal, or conllu",
    )

    def splitter(self) -> Splitter:
        """Return what tokenizes."""
        from treewright.parsing import TreeParser
        from treewright.tokenization import Rules

        if self.model is None:
            return Rules(self.language or "en")
        if self.language is not None:
            raise UsageError("--language and --model both say how to tokenize: leave out one of them")
        return TreeParser.open(self.model).splitter


@command
def tokenize(
    input: Input, options: TokenizeOptions, errors: OnError, output: Output = None, quiet: Quiet = False
) -> None:
    """Split text into sentences and words, without parsing it.

    Reads the files, or standard input when there are none. A blank line ends a paragraph; any other line break is a
    space, unless --from says that each line is a sentence.

    **Examples**

    - `treewright tokenize --text "Mr. Brown didn't sleep. Why?" --to tokens`
    - `treewright tokenize book.txt --output book.conllu`
    - `treewright tokenize buch.txt --language de --to lines > buch.sentences.txt`
    - `treewright tokenize book.txt --model my.tw --ranges --output book.conllu`
    """
    from treewright.cli.console import counted, notice
    from treewright.cli.formats import FORMATS, choose_format, destination
    from treewright.cli.sources import Sources

    source = Sources(input, errors, quiet, ranges=options.ranges)
    if not source.is_only_text:
        raise UsageError("this is a treebank, whose words are split already: give raw text, or say --from text")
    to = choose_format(options.to, output, ("conllu", "json", "lines", "tokens"), terminal="tokens")
    write = {**FORMATS, "lines": _line, "tokens": _tokens}[to]
    with destination(output) as stream:
        for sentence in source.read(options.splitter()):
            stream.write(write(sentence).encode("utf-8", "replace"))
            if output is None:
                stream.flush()
    if output is not None and not quiet:
        notice(f"Found {counted(source.sentences, 'sentence')} ({counted(source.words, 'word')}).")


def _line(sentence: Sentence) -> str:
    return f"{sentence.text}\n"


def _tokens(sentence: Sentence) -> str:
    return " ".join(sentence.forms) + "\n"
