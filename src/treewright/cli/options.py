"""Groups of options that several commands share, each declared once."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from treewright.errors import UsageError
from treewright.neural.options import NetworkOptions
from treewright.options import Option, Options, option, required

if TYPE_CHECKING:
    from treewright.execution import Executor, Keep

__all__ = [
    "AsJson",
    "Execution",
    "Input",
    "InputFormat",
    "ModelFile",
    "ModelInfo",
    "OnError",
    "Output",
    "Parsing",
    "Quiet",
    "Reranking",
    "ScorerOptions",
    "TrainingFiles",
    "check_language",
]


InputFormat = Literal["text", "lines", "tokens", "conllu", "conllx", "brackets"]


def check_language(code: str) -> None:
    """Refuse what is no code of a language."""
    from treewright.tokenization import codes

    codes.check_language(code)


OUTPUT = Option("Write to this file instead of standard output; .gz and .xz compress.")
QUIET = Option("Write nothing but errors to standard error.", flags=("--quiet", "-q"))

Output = Annotated[Path | None, OUTPUT]
ModelFile = Annotated[Path, Option("The model file to write.")]
Quiet = Annotated[bool, QUIET]
AsJson = Annotated[bool, Option("Write everything as JSON.", flags=("--json",))]


@dataclass(frozen=True)
class Input(Options):
    """What is parsed."""

    files: tuple[str, ...] = option(
        (), "Files to parse, plain or .gz/.xz; - is standard input.", metavar="FILES", positional=True
    )
    text: str | None = option(None, "Parse this text instead of files.")
    format: InputFormat | None = option(
        None,
        "The format of the input; told from the names of the files unless given. Of text: text, running; lines, a "
        "sentence on each line; tokens, the same with spaces between the words.",
        flags=("--from",),
    )
    lines: bool = option(False, "Each line of the text is a sentence: the same as --from lines.")
    paragraphs: bool = option(
        False,
        "Only blank lines end paragraphs, and a line break within one is a space: what --from text means in files, and "
        "with this in a terminal too, where else each line is a paragraph.",
    )

    @property
    def chosen_format(self) -> InputFormat | None:
        """The format that was asked for, if any was."""
        asked: dict[str, InputFormat] = {f"--from {self.format}": self.format} if self.format else {}
        asked |= {"--lines": "lines"} if self.lines else {}
        asked |= {"--paragraphs": "text"} if self.paragraphs else {}
        if len(set(asked.values())) > 1:
            raise UsageError(f"{' and '.join(asked)} do not go together: leave out one of them")
        return next(iter(asked.values()), None)


@dataclass(frozen=True)
class OnError(Options):
    """What to do about malformed input."""

    on_error: Literal["stop", "skip"] = option("stop", "At a malformed sentence: stop, or skip it and count it.")

    @property
    def mode(self) -> Literal["raise", "skip"]:
        """The same, as the readers of treebanks have it."""
        return "skip" if self.on_error == "skip" else "raise"


@dataclass(frozen=True)
class Execution(Options):
    """Where the work is done, and what is kept of it."""

    workers: int | None = option(None, "Processes to use; 0 is one for each core.", min=0, shown="0")
    cluster: str | None = option(
        None,
        "Work on a Ray cluster: ray://host:port, or auto for one on this machine, started if need be.",
        metavar="ADDRESS",
    )
    resume: Path | None = option(
        None,
        "Keep what is done in this folder until all is; after a crash the same command goes on from there.",
        metavar="FOLDER",
    )

    def executor(self) -> AbstractContextManager[Executor]:
        """Return what does the work."""
        from treewright.execution import make_executor

        return make_executor(self.workers or 0, self.cluster)

    def keep(self) -> AbstractContextManager[Keep | None]:
        """Return what keeps finished work, if it is to be kept."""
        from treewright.execution import Keep

        return nullcontext() if self.resume is None else Keep(self.resume)


@dataclass(frozen=True)
class Parsing(Execution):
    """Where parsing is done, and where the trees go."""

    output: Path | None = option(None, OUTPUT.help)
    quiet: bool = option(False, QUIET.help, flags=QUIET.flags)


@dataclass(frozen=True)
class ScorerOptions(NetworkOptions):
    """What scores trees, and how a network that does is trained."""

    scorer: Literal["linear", "neural"] = option(
        "linear", "Score by a linear model of features, or by a network, which needs PyTorch to be trained."
    )

    @property
    def network(self) -> NetworkOptions:
        """How a network is trained."""
        return NetworkOptions(**{one.name: getattr(self, one.name) for one in fields(NetworkOptions)})


@dataclass(frozen=True)
class Reranking(Options):
    """Whether a reranker chooses from the trees of a parser."""

    rerank: str | None = option(
        None,
        "Choose the tree with this model of treewright rerank train, from the k best of the parser.",
        metavar="MODEL",
    )
    candidates: int | None = option(None, "How many trees --rerank chooses from.", min=1, shown="as it was trained")


@dataclass(frozen=True)
class TrainingFiles(Options):
    """What a parser is trained on, and where it goes."""

    treebank: str = required(
        "The training treebank, CoNLL-U or CoNLL-X, plain or .gz/.xz.", metavar="TRAIN", positional=True
    )
    dev: str = required("The dev treebank, which chooses the best epoch.")
    output: Path = required("The model file to write.")


@dataclass(frozen=True)
class ModelInfo(Options):
    """What is noted in a model file."""

    language: str = option(
        "", "The language of raw text, as an ISO 639 code (de, pt-BR): how to tokenize.", validate=check_language
    )
    name: str | None = option(None, "The name of the model; that of the file unless given.")
    treebank: str = option("", "The name of the treebank, for treewright info.")
    release: str = option("", "The release of the treebank, such as 2.16, for treewright models.")
    licence: str = option("", "The licence of the model, for treewright info.")
    attribution: str = option("", "Whom to credit, for treewright info.")

    def describe(self, output: Path) -> dict[str, str]:
        """Return it as plain data, for a model in this file."""
        about = asdict(self)
        return {"name": about.pop("name") or output.name.partition(".")[0], **about}
