"""Options: limits, choices, and the documentation that is made from them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import pytest

from treewright import ConstituentOptions, TrainingOptions, UsageError
from treewright.options import Kind, Options, in_words, kinds_of, option, required
from treewright.reranking import RerankingOptions


@dataclass(frozen=True)
class Some(Options):
    """Some options."""

    path: str = required("Where it is.")
    size: int | None = option(None, "How large.", min=1, shown="by taste")
    share: float = option(0.5, "How much.", min=0, max=1, see="Section 2")
    kind: Literal["one", "two"] = option("one", "Which.")
    names: Collection[Literal["a", "b"]] = option((), "Whom.")


def test_documentation_has_every_field():
    assert (
        Some.__doc__
        == """Some options.

Attributes
----------
path : str
    Where it is.
size : int, optional
    How large.  By default by taste.
share : float, default 0.5
    How much (Section 2).
kind : {"one", "two"}, default "one"
    Which.
names : collection of {"a", "b"}
    Whom."""
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "size must be at least 1, not 0"),
        ({"share": 1.5}, "share must be between 0 and 1, not 1.5"),
        ({"share": float("nan")}, "share must be between 0 and 1, not nan"),
        ({"kind": "three"}, "kind must be one or two, not three"),
        ({"names": ["a", "c"]}, "names must be a or b, not c"),
    ],
)
def test_values_beyond_the_limits_are_refused(values, message):
    with pytest.raises(UsageError) as error:
        Some("here", **values)
    assert str(error.value) == message


def test_values_within_the_limits_are_kept():
    some = Some("here", size=1, share=1, kind="two", names=["b", "a"])
    assert (some.size, some.share, some.kind, some.names) == (1, 1, "two", ["b", "a"])
    assert Some("here").size is None


def test_kinds_are_taken_apart():
    kinds = kinds_of(Some)
    assert isinstance(kinds["size"], Kind)
    assert (kinds["size"].type, kinds["size"].is_optional, kinds["path"].is_optional) == (int, True, False)
    assert kinds["names"].choices == kinds_of(Some)["names"].choices == ("a", "b")
    assert in_words(("a",)) == "a"


@pytest.mark.parametrize("options", [TrainingOptions, ConstituentOptions, RerankingOptions])
def test_all_options_of_training_have_help_and_allow_their_defaults(options):
    options()
    for name, kind in kinds_of(options).items():
        assert kind.option.help.endswith(".")
        assert f"\n{name} : " in options.__doc__
