r"""Options: fields of a dataclass that say what they mean and which values they take.

An option is declared once, with its type, default, help and limits.  From that one declaration the class checks its
values and documents itself in Python, and `treewright.cli.command` makes the options of a command.

>>> @dataclass(frozen=True)
... class SearchOptions(Options):
...     '''How to search.'''
...
...     beam: float = option(0.5, "Drop what scores less than this share of the best.", min=0, max=1)
...     order: Literal["first", "second"] = option("first", "Which parts to score.", see="Eisner 1996")
>>> print(*SearchOptions.__doc__.splitlines()[-2:], sep="\n")
order : {"first", "second"}, default "first"
    Which parts to score (Eisner 1996).
>>> SearchOptions(beam=2)
Traceback (most recent call last):
treewright.errors.UsageError: beam must be between 0 and 1, not 2
>>> SearchOptions(order="third")
Traceback (most recent call last):
treewright.errors.UsageError: order must be first or second, not third
"""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import MISSING, dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from treewright.errors import UsageError

__all__ = ["EmptyElements", "Option", "Options", "in_words", "option", "required"]

#: What counts as an empty element of a tree, and is removed (`treewright.treebank.simplify`).
EmptyElements = Literal["penn", "historical", "keep"]


@dataclass(frozen=True)
class Option:
    """What is known of an option beyond its name, type and default."""

    help: str  # what it means, in a sentence or two
    min: float | None = None
    max: float | None = None
    shown: str = ""  # the default in words, where it depends on other options
    see: str = ""  # where to read more; in the documentation, not on the command line
    flags: tuple[str, ...] = ()  # on the command line; -- and the name of the field unless given
    metavar: str = ""  # what stands for its value there
    positional: bool = False  # whether it is an argument without a flag there
    python_only: bool = False  # whether the command line does not offer it
    validate: Callable[[Any], object] | None = None  # raises a `UsageError` unless a value is right

    def check(self, name: str, value: Any, choices: tuple[Any, ...]) -> None:
        """Raise a `UsageError` unless a value is within the limits, and among the choices if there are any."""
        low, high = self.min, self.max
        if self.validate is not None:
            self.validate(value)
        if choices and value not in choices:
            raise UsageError(f"{name} must be {in_words(choices)}, not {value}")
        if low is not None and high is not None and not low <= value <= high:
            raise UsageError(f"{name} must be between {low:g} and {high:g}, not {value}")
        if low is not None and not value >= low:
            raise UsageError(f"{name} must be at least {low:g}, not {value}")


def option(default: Any, help: str, **about: Any) -> Any:
    """Declare a field of a class of `Options`; see `Option` for what can be said of it."""
    return dataclasses.field(default=default, metadata={"option": Option(help, **about)})


def required(help: str, **about: Any) -> Any:
    """Declare a field without a default."""
    return option(MISSING, help, **about)


def in_words(choices: Sequence[Any]) -> str:
    """Return choices as a list in words.

    Examples
    --------
    >>> in_words(("sgd", "eg", "cg"))
    'sgd, eg or cg'
    """
    return " or ".join(filter(None, [", ".join(map(str, choices[:-1])), str(choices[-1])]))


@dataclass(frozen=True)
class Kind:
    """The type of an option, taken apart."""

    type: Any  # of a value that is given; of each element where there are several
    choices: tuple[Any, ...]  # the values it takes, if they are listed
    is_optional: bool  # whether it can be None
    collection: Any  # of several values: None, tuple (on the command line one at a time), or Collection (with commas)
    option: Option

    @classmethod
    def of(cls, hint: Any, option: Option) -> Kind:
        """Take a type hint apart."""
        given = [arm for arm in get_args(hint) if arm is not NoneType]
        is_optional = len(given) < len(get_args(hint))
        hint = given[0] if is_optional else hint
        collection = get_origin(hint) if get_origin(hint) in (tuple, Collection) else None
        hint = get_args(hint)[0] if collection else hint
        return cls(hint, get_args(hint) if get_origin(hint) is Literal else (), is_optional, collection, option)

    def describe(self, default: Any) -> str:
        """Return the type and the default, as the documentation has them."""
        kind = "{" + ", ".join(map(_quoted, self.choices)) + "}" if self.choices else self.type.__name__
        if self.collection:
            return f"{self.collection.__name__.lower()} of {kind}"
        if self.is_optional or default in (MISSING, ""):
            return kind + (", optional" if self.is_optional else "")
        return f"{kind}, default {_quoted(default)}"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


class Options:
    """Base class of dataclasses whose fields are options: it checks their values, and documents them."""

    def __init_subclass__(cls) -> None:
        """Describe the fields in the documentation of the class."""
        entries = [
            _document(name, Kind.of(hint, cls.__dict__[name].metadata["option"]), cls.__dict__[name].default)
            for name, hint in inspect.get_annotations(cls, eval_str=True).items()
        ]
        cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__ or ""), "\nAttributes\n----------", *entries])

    def __post_init__(self) -> None:
        """Check that no value is beyond its limits, and that each is among its choices."""
        for name, kind in kinds_of(type(self)).items():
            value = getattr(self, name)
            for one in value if kind.collection else [value]:
                if one is not None:
                    kind.option.check(name, one, kind.choices)


_KINDS: dict[type[Options], dict[str, Kind]] = {}


def kinds_of(options: type[Options]) -> dict[str, Kind]:
    """Return what kinds of options a class has, by their names."""
    if options not in _KINDS:
        hints = get_type_hints(options)
        fields = dataclasses.fields(options)  # type: ignore[arg-type]
        _KINDS[options] = {field.name: Kind.of(hints[field.name], field.metadata["option"]) for field in fields}
    return _KINDS[options]


def _document(name: str, kind: Kind, default: Any) -> str:
    """Write an entry of a list of attributes, in the style of NumPy."""
    about = kind.option
    text = f"{about.help.removesuffix('.')} ({about.see})." if about.see else about.help
    text += f"  By default {about.shown}." if about.shown else ""
    body = textwrap.fill(text, 116, initial_indent="    ", subsequent_indent="    ")
    return f"{name} : {kind.describe(default)}\n{body}"
