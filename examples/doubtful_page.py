"""Draw the sentences that a parser doubts most on one page: ``python examples/doubtful_page.py book.txt``."""

import argparse
import heapq
from pathlib import Path

import treewright
from treewright.treebank import expected_errors


def doubtful_page(text: str, number: int = 20, model: str = "en") -> str:
    """Return a page in HTML with the sentences of a text in which the most errors are expected, the worst first."""
    sentences = treewright.load(model).parse(text, confidence=True, alternatives=2)
    return treewright.draw(heapq.nlargest(number, sentences, key=expected_errors), format="html")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="a text, in UTF-8")
    parser.add_argument("--number", type=int, default=20, help="how many sentences")
    parser.add_argument("--model", default="en", help="a model of dependencies")
    parser.add_argument("--output", type=Path, default=Path("doubts.html"), help="the page")
    chosen = parser.parse_args()
    chosen.output.write_text(doubtful_page(chosen.text.read_text("utf-8"), chosen.number, chosen.model), "utf-8")
    print(f"Wrote {chosen.output}.")
