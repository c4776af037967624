"""``treewright annotate``: correct the trees of a file in a browser, with suggestions, and lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from treewright.cli.command import command
from treewright.cli.serving import Place, refuse_without_server, say_where, token_for
from treewright.errors import UsageError
from treewright.options import Option, Options, option
from treewright.server.settings import ServerSettings

if TYPE_CHECKING:
    from treewright.dependency.parser import Parser
    from treewright.server.annotation.retraining import Retraining
    from treewright.server.annotation.session import Session
    from treewright.treebank import Sentence

__all__ = ["annotate"]


@dataclass(frozen=True)
class AnnotateOptions(Options):
    """What suggests trees, which sentences come first, and where the annotated file goes."""

    model: str = option(
        "en", "The name of a model of dependencies, or a model file, whose trees are suggested; none suggests nothing."
    )
    output: Path | None = option(None, "Write to this file; the annotated file itself unless given.")
    order: Literal["doubt", "entropy", "margin", "file"] | None = option(
        None,
        "Which sentences come first: those with the most expected errors (doubt), the greatest entropy of the trees, "
        "the smallest margin between two heads of a word; or as in the file.",
        shown="doubt, and file for models without probabilities",
    )
    retrain: int = option(
        0, "Train a parser in the background after every so many sentences, and use it if it is better.", min=0
    )
    train: str | None = option(None, "Learn from this treebank, too, when training; its tags and relations are known.")
    token: str | None = option(
        None, "What browsers must know. Better kept in the environment, as TREEWRIGHT_TOKEN.", shown="TREEWRIGHT_TOKEN"
    )


File = Annotated[Path, Option("The treebank to annotate, CoNLL-U, plain or .gz/.xz.", positional=True, metavar="FILE")]


@command
def annotate(file: File, options: AnnotateOptions, place: Place) -> None:
    """Annotate a treebank in a browser: the best trees are suggested, the most doubtful sentences come first.

    What is given in the file and what you say stays; the rest of a sentence is parsed around it. Every action is on
    disk, in FILE.journal, before it counts: after a crash the same command goes on from there. The file itself is
    written when you save, and at the end. Needs the extra serve.

    **Examples**

    - `treewright annotate new.conllu --open`
    - `treewright annotate new.conllu --model my.tw --output annotated.conllu --order entropy`
    - `treewright annotate new.conllu --model my.tw --retrain 25 --train train.conllu`
    - `treewright annotate new.conllu --model none --order file --port 9000`
    """
    refuse_without_server()
    from treewright.cli.console import notice
    from treewright.cli.sources import refuse_missing
    from treewright.files import check_writable
    from treewright.server.annotation.routes import annotation_routes
    from treewright.server.app import make_app
    from treewright.server.run import address_of, listen, run
    from treewright.server.warming import warm_up

    settings = replace(ServerSettings(), token=token_for(place, options.token))
    refuse_missing(str(file), *filter(None, [options.train]))
    check_writable(options.output or file)
    parser = _parser(options.model)
    with ExitStack() as stack:
        session, retraining = stack.enter_context(_opened(file, options, parser))
        listening = listen(place.host, place.port)
        address = f"{address_of(listening)}page/annotate.html"
        said = f"Annotating {file}, {_how_far(session)}, at {address} (Ctrl-C saves and ends)"
        models = {} if parser is None else {Path(options.model).name.removesuffix(".tw"): parser}
        routes = annotation_routes(session, retraining)
        stack.enter_context(_scoring(session))
        app = make_app(models, settings, prepare=lambda: warm_up(models, notice), more=routes)
        run(app, settings, listening, lambda: say_where(place, address, said))
        if not session.is_saved:
            notice(f"Saved {session.save()}.")


def _how_far(session: Session) -> str:
    count = session.progress()
    return f"{count['done']:,} of {count['sentences']:,} sentences done"


def _parser(name: str) -> Parser | None:
    """Open the model that suggests trees."""
    from treewright.dependency.parser import Parser
    from treewright.parsing import TreeParser

    if name == "none":
        return None
    parser: TreeParser[Any] = TreeParser.open(name)
    if not isinstance(parser, Parser):
        raise UsageError(f"{name} is no model of dependencies: only these can be annotated")
    return parser


@contextmanager
def _opened(file: Path, options: AnnotateOptions, parser: Parser | None) -> Iterator[tuple[Session, Retraining]]:
    """Open the session and what trains for it; close both at the end."""
    from treewright.server.annotation.inventory import Inventory
    from treewright.server.annotation.retraining import Retraining
    from treewright.server.annotation.session import Session

    base = _read(options.train) if options.train else []
    sure = parser is None or parser.has_probabilities
    order = options.order or ("doubt" if sure else "file")
    known = Inventory.of(base)
    with Session.open(file, parser, order=order, output=options.output, known=known) as session:
        retraining = Retraining(session, options.retrain, base, "" if parser is None else parser.language)
        try:
            yield session, retraining
        finally:
            retraining.close()


def _read(path: str) -> list[Sentence]:
    from treewright.cli.sources import treebank_format
    from treewright.treebank import read

    return list(read(path, treebank_format(path)))


@contextmanager
def _scoring(session: Session) -> Iterator[None]:
    """Find out in the background how doubtful sentences are."""
    import threading

    ended = threading.Event()

    def score() -> None:
        while not ended.is_set():
            if not session.adviser.score_next():
                ended.wait(0.5)

    thread = threading.Thread(target=score, name="doubts", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
