"""Rules on which fields of a mapping go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from wavetank.documents.definitions import Schema
from wavetank.errors import InputError


class Rule(Protocol):
    """A rule on the fields that a mapping has."""

    def check(self, given: Mapping[str, Any], path: str) -> None:
        """Raises InputError if the mapping at `path` breaks the rule."""
        ...

    def schema(self) -> Schema:
        """Returns the rule as a JSON Schema."""
        ...


class OneOf:
    """Of some fields there are at least `least` and at most `most`; `problem` is said otherwise."""

    def __init__(self, *names: str, least: int = 1, most: int | None = 1, problem: str | None = None) -> None:
        self._names = names
        self._least = least
        self._most = len(names) if most is None else most
        self._problem = problem

    def check(self, given: Mapping[str, Any], path: str) -> None:
        """Raises InputError if there are too few or too many."""
        present = [name for name in self._names if name in given]
        if not self._least <= len(present) <= self._most:
            exactly = f"expected exactly one of {', '.join(self._names)}"
            several = f"expected only one of {', '.join(present)}"
            raise InputError(self._problem or (exactly if self._least else several), path=path)

    def schema(self) -> Schema:
        """Returns alternatives, each with one of the fields."""
        alternatives = [{"required": [name]} for name in self._names]
        if self._most > 1:
            return {"anyOf": alternatives}
        if self._least:
            return {"oneOf": alternatives}
        return {"oneOf": [{"not": {"anyOf": alternatives}}, *alternatives]}


class Needs:
    """A field comes only together with one of some others; `problem` is said at the field otherwise."""

    def __init__(self, name: str, *others: str, problem: str) -> None:
        self._name = name
        self._others = others
        self._problem = problem

    def check(self, given: Mapping[str, Any], path: str) -> None:
        """Raises InputError if the field comes alone."""
        if self._name in given and not any(name in given for name in self._others):
            raise InputError(self._problem, path=f"{path}.{self._name}" if path else self._name)

    def schema(self) -> Schema:
        """Returns a dependency of the field."""
        return {"dependencies": {self._name: {"anyOf": [{"required": [name]} for name in self._others]}}}


class Excludes:
    """A field does not come together with some others, of which `problem` is said with their name for {}."""

    def __init__(self, name: str, *others: str, problem: str) -> None:
        self._name = name
        self._others = others
        self._problem = problem

    def check(self, given: Mapping[str, Any], path: str) -> None:
        """Raises InputError at the first of the others."""
        for name in self._others:
            if self._name in given and name in given:
                raise InputError(self._problem.format(name), path=f"{path}.{name}" if path else name)

    def schema(self) -> Schema:
        """Returns a dependency of the field."""
        return {"dependencies": {self._name: {"not": {"anyOf": [{"required": [name]} for name in self._others]}}}}
