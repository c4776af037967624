"""Commands from dataclasses: a function of classes of options becomes a command with all their fields.

A parameter of the function is a class of `treewright.options.Options`, or a single value annotated with an `Option`.

>>> from dataclasses import dataclass
>>> from treewright.options import option
>>> @dataclass(frozen=True)
... class Greeting(Options):
...     name: str = option("world", "Whom to greet.")
...     times: int = option(1, "How often.", min=1)
>>> @command
... def greet(greeting: Greeting, *, loud: Annotated[bool, Option("Whether to shout.")] = False) -> None:
...     print(*[f"Hello, {greeting.name}{'!' if loud else '.'}"] * greeting.times)
>>> list(inspect.signature(greet).parameters)
['greeting_name', 'greeting_times', 'loud']
>>> greet(greeting_name="treebank", greeting_times=2, loud=True)
Hello, treebank! Hello, treebank!
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection
from functools import partial, wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from treewright.options import Kind, Option, Options, kinds_of

__all__ = ["Unconverted", "command", "group"]

Parameter = inspect.Parameter


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function of options one that Typer reads: with a parameter for each of them."""
    hints = get_type_hints(function, include_extras=True)
    parameters, groups = list[Parameter](), dict[str, type[Options]]()
    for name, parameter in inspect.signature(function).parameters.items():
        if get_origin(hints[name]) is Annotated:
            hint, about = hints[name].__origin__, hints[name].__metadata__[0]
            parameters.append(_describe(name, name, Kind.of(hint, about), parameter.default))
        else:
            groups[name] = hints[name]
            parameters += _describe_all(name, hints[name])

    @wraps(function)
    def run(**values: Any) -> None:
        made = {name: _collect(name, group, values) for name, group in groups.items()}
        function(**made, **{name: value for name, value in values.items() if name in hints})

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def group(name: str, help: str, *steps: Callable[..., None]) -> typer.Typer:
    """Make a command of commands."""
    made = typer.Typer(name=name, help=help, no_args_is_help=True, add_completion=False, rich_markup_mode="markdown")
    for step in steps:
        made.command(cls=_Command)(step)
    return made


class Unconverted:
    """A command that takes a value as it is where nothing has to be converted.

    Typer converts every value with Pydantic, even defaults and strings, and importing it takes longer than parsing.
    """

    def get_params(self, context: Any) -> list[Any]:
        """Return the options of the command."""
        parameters: list[Any] = super().get_params(context)  # type: ignore[misc]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                parameter.process_value = partial(_process, parameter, parameter.process_value)
        return parameters


class _Command(Unconverted, TyperCommand):
    pass


def _process(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """Convert what was given for an option, unless it is what the option asks for already."""
    about = getattr(parameter, "type_descriptor", None)  # versions of Typer that have none do not use Pydantic
    hint = None if about is None else about.annotation
    is_default = not parameter.required and value == parameter.default
    is_choice = isinstance(value, str) and (hint is str or value in get_args(hint))
    return value if hint and (is_default or is_choice) else convert(context, value)


def _describe_all(prefix: str, group: type[Options]) -> list[Parameter]:
    """Describe the fields of a class to Typer."""
    return [
        _describe(f"{prefix}_{field.name}", field.name, kinds_of(group)[field.name], field.default)
        for field in dataclasses.fields(group)  # type: ignore[arg-type]
        if not kinds_of(group)[field.name].option.python_only
    ]


def _describe(name: str, field: str, kind: Kind, default: Any) -> Parameter:
    """Describe an option to Typer."""
    about, hint = kind.option, kind.type
    is_required = default in (dataclasses.MISSING, Parameter.empty)
    given: dict[str, Any] = {"help": about.help, "metavar": about.metavar or None}
    if about.shown:
        given["show_default"] = about.shown
    if kind.collection is Collection:
        hint, default = str, ""
        if kind.choices:
            given |= {"metavar": f"<{'|'.join(kind.choices)}>", "help": f"{about.help} Separate several with commas."}
    elif kind.collection is tuple:
        hint, default = list[str], None
    if about.positional:
        made = typer.Argument(**given)
    else:
        made = typer.Option(*_flags(field, about, default), min=about.min, max=about.max, **given)
    return Parameter(
        name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if is_required else default,
        annotation=Annotated[hint | None if default is None and not is_required else hint, made],
    )


def _flags(field: str, about: Option, default: Any) -> tuple[str, ...]:
    """Return how an option is written; one that is on by default has an opposite."""
    name = field.replace("_", "-")
    return about.flags or ((f"--{name}/--no-{name}",) if default is True else (f"--{name}",))


def _collect(prefix: str, group: type[Options], values: dict[str, Any]) -> Options:
    """Make options of what was given on the command line."""
    given = {}
    for field, kind in kinds_of(group).items():
        if not kind.option.python_only:
            value = values[f"{prefix}_{field}"]
            if kind.collection is Collection:
                value = value.replace(" ", "").split(",")
            given[field] = tuple(filter(None, value or ())) if kind.collection else value
    return group(**given)
