"""What a server allows: limits, threads, and who may ask."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.options import Options, option

__all__ = ["ServerSettings"]


@dataclass(frozen=True)
class ServerSettings(Options):
    """The limits of a service.  A request beyond one of them is refused, with a clear answer that names the limit."""

    max_body: int = option(1 << 20, "The largest request, in bytes.", min=1)
    max_answer: int = option(1 << 26, "The largest answer, in bytes.", min=1)
    max_sentences: int = option(2_000, "How many sentences a request may have.", min=1)
    max_words: int = option(250, "How many words a sentence may have.", min=1)
    seconds: float = option(30.0, "How long a request may take, waiting included.", min=0.001)
    queue: int = option(256, "How many requests may be waiting or at work; others are told to come back.", min=1)
    threads: int = option(0, "How many threads parse; 0 is one for each core.", min=0)
    token: str | None = option(
        None,
        "What clients must know: Authorization: Bearer TOKEN. Better kept in the environment, as TREEWRIGHT_TOKEN, "
        "where no list of processes shows it.",
        shown="TREEWRIGHT_TOKEN",
    )
    cors: tuple[str, ...] = option(
        (), "Let pages from this origin, such as https://example.org, ask too; * is any. May be given several times."
    )
