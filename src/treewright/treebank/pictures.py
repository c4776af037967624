"""One way to draw trees of all kinds: for pages, notebooks, papers and terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeAlias

from treewright.errors import UsageError
from treewright.treebank import latex
from treewright.treebank.conllu.drawing import draw_text
from treewright.treebank.conllu.latex import sentence_to_latex
from treewright.treebank.conllu.svg import sentence_to_svg
from treewright.treebank.constituents.drawing import draw_tree
from treewright.treebank.constituents.latex import tree_to_latex
from treewright.treebank.constituents.svg import tree_to_svg
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.html import page, scrolled
from treewright.treebank.sentence import Sentence
from treewright.treebank.svg import stack

__all__ = ["WHOLES", "Picture", "PictureFormat", "draw", "draw_one"]

PictureFormat = Literal["svg", "html", "latex", "text"]
Tree: TypeAlias = Sentence | ConstituentTree


class RankedTree(Protocol):
    """One of the k best trees, as parsers give them."""

    @property
    def tree(self) -> Tree:
        """The tree."""

    @property
    def probability(self) -> float:
        """Its probability."""


def _texts(texts: Iterable[str]) -> Iterator[str]:
    yield latex.BEGIN
    yield from texts
    yield latex.END


#: The name of a format whose files are more than one tree after the other → what makes a file of drawn trees.
WHOLES: dict[str, Callable[[Iterable[str]], Iterator[str]]] = {"svg": stack, "html": page, "latex": _texts}


class Picture(str):
    """Trees, drawn: text in the format that was asked for, which notebooks show as a picture if they can."""

    __slots__ = ("kind",)

    kind: PictureFormat

    def __new__(cls, text: str, kind: PictureFormat) -> Picture:
        """Make a picture of text in a format."""
        picture = super().__new__(cls, text)
        picture.kind = kind
        return picture

    def _repr_html_(self) -> str | None:
        """Return what a notebook shows."""
        return scrolled(str(self), self.kind)


def draw(
    trees: Tree | Iterable[Tree] | Iterable[RankedTree], *, confidence: bool = True, format: PictureFormat = "svg"
) -> Picture:
    r"""Draw one tree or several, of dependencies or of constituents.

    Parameters
    ----------
    trees : Sentence, ConstituentTree, or iterable of these
        Several are drawn one below the other.  So are the k best trees of a sentence (``parser.k_best(sentence, 3)``),
        with their ranks and probabilities.
    confidence : bool
        Whether to show the probabilities that a parser has noted (``parse(..., confidence=True)``): arcs in doubt are
        paler and dashed.
    format : {"svg", "html", "latex", "text"}
        A document in SVG; a whole page in HTML; a document in LaTeX, which needs the packages tikz-dependency and
        forest; or text for a terminal.

    Returns
    -------
    Picture
        A ``str``, to be written to a file or printed, that notebooks show as a picture.  All text from the trees is
        escaped.

    Raises
    ------
    UsageError
        If the heads of a sentence do not form a tree.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> draw(sentence)[:4]
    '<svg'
    >>> print(draw(sentence, format="text"))
    ┌─► Trees  _  nsubj
    └─● grow   _  root
    """
    _refuse_unknown(format)
    several = [trees] if isinstance(trees, Sentence | ConstituentTree) else trees
    drawn = (_drawn(tree, rank, format, confidence) for rank, tree in enumerate(several, 1))
    if format == "text":
        return Picture("\n\n".join(drawn), format)
    return Picture("".join(WHOLES[format](drawn)), format)


def draw_one(tree: Tree, format: str, *, confidence: bool = True, caption: str | None = None) -> str:
    """Draw a tree, as a part of a file: `WHOLES` makes a file of such parts.

    A caption stands above the tree; unless given, it is what the comments of a sentence say of its probability.
    """
    _refuse_unknown(format)
    if isinstance(tree, Sentence):
        if format == "text":
            return _titled(draw_text(tree, confidence=confidence), caption)
        write = sentence_to_latex if format == "latex" else sentence_to_svg
        return write(tree, confidence=confidence, caption=caption)
    if not isinstance(tree, ConstituentTree):
        raise TypeError(f"cannot draw {type(tree).__name__}: give a Sentence or a ConstituentTree, or several of them")
    if format == "text":
        return _titled(draw_tree(tree), caption)
    return (tree_to_latex if format == "latex" else tree_to_svg)(tree, caption=caption or "")


def _drawn(tree: Tree | RankedTree, rank: int, format: str, confidence: bool) -> str:
    """Draw a tree or one of the k best."""
    if isinstance(tree, Sentence | ConstituentTree) or not hasattr(tree, "probability"):
        return draw_one(tree, format, confidence=confidence)  # type: ignore[arg-type]  # which refuses what is no tree
    caption = f"tree {rank}, probability {tree.probability:.4g}"
    return draw_one(tree.tree, format, confidence=confidence, caption=caption)


def _titled(picture: str, caption: str | None) -> str:
    return f"{caption}\n{picture}" if caption else picture


def _refuse_unknown(format: str) -> None:
    if format not in ("svg", "html", "latex", "text"):
        raise UsageError(f"a tree cannot be drawn as {format!r}: choose svg, html, latex or text")
