"""Makes the page of the Python API from the signatures and docstrings of what wavetank exports."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

MODULES = ("wavetank", "wavetank.testing")
_WIDTH = 100  # of a signature in one line

_EXAMPLE = re.compile(r"^( *>>> .*(?:\n(?! *$).*)*)", re.M)


def write_api(introduction: str) -> str:
    """Returns the page of the Python API."""
    return "\n\n".join([introduction, *(part for name in MODULES for part in _module(import_module(name)))]) + "\n"


def _module(module: ModuleType) -> Iterator[str]:
    yield f"## {module.__name__}"
    yield _docstring(module)
    for name in module.__all__:
        exported = getattr(module, name)
        if callable(exported):
            yield from _exported(f"{module.__name__}.{name}", exported)


def _exported(path: str, exported: Callable[..., Any]) -> Iterator[str]:
    yield f"### {path}"
    yield _signature(path, exported)
    yield _docstring(exported)
    if inspect.isclass(exported):
        members = inspect.getmembers(exported, lambda each: inspect.isfunction(each) or isinstance(each, property))
        for name, member in members:
            if not name.startswith("_") and "wavetank" in _home(member) and inspect.getdoc(member):
                yield from _member(name, member)


def _home(member: Any) -> str:
    return str(getattr(member.fget if isinstance(member, property) else member, "__module__", ""))


def _member(name: str, member: Any) -> Iterator[str]:
    if isinstance(member, property):
        yield f"**`{name}`** (property)"
    else:
        yield f"**`{name}`**"
        yield _signature(name, member)
    yield _docstring(member)


def _signature(name: str, function: Callable[..., Any]) -> str:
    """Returns the signature in a block: in one line, or one argument per line."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # an exception that takes what Exception takes
        return f"```python\n{name}(*args)\n```"
    given = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    arguments = list(_arguments(given))
    annotation = signature.return_annotation
    returned = f" -> {annotation}" if isinstance(annotation, str) and not inspect.isclass(function) else ""
    text = f"{name}({', '.join(arguments)}){returned}"
    if len(text) > _WIDTH:
        text = "\n".join([f"{name}(", *(f"    {each}," for each in arguments), f"){returned}"])
    return f"```python\n{text}\n```"


def _arguments(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Yields the arguments as they are written; str(signature) differs between versions of Python."""
    has_star = False
    for each in parameters:
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        has_star = has_star or each.kind is inspect.Parameter.VAR_POSITIONAL
        stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
        annotation = f": {each.annotation}" if isinstance(each.annotation, str) else ""
        default = "" if each.default is inspect.Parameter.empty else f" = {_default(each.default)}"
        yield f"{stars}{each.name}{annotation}{default}"


def _default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value) if not callable(value) else "…"


def _docstring(documented: object) -> str:
    """Returns the docstring, with its examples in blocks of code."""
    return _EXAMPLE.sub(_example, inspect.getdoc(documented) or "")


def _example(found: re.Match[str]) -> str:
    return "```python\n" + found[1].replace("  # doctest: +SKIP", "") + "\n```"
