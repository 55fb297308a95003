from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution
from wavetank.microservices.model.quantities import NotNegative, SplitNormal
from wavetank.words import did_you_mean


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Names the file in errors that are raised meanwhile and name none."""
    try:
        yield
    except InputError as error:
        raise error if error.source else error.inside(source=str(path)) from None


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file with one object."""
    try:
        document = msgspec.json.decode(path.read_bytes())
    except FileNotFoundError:
        raise InputError("no such file", source=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not a JSON document: {error}", source=str(path)) from None
    if not isinstance(document, dict):
        raise InputError("expected an object", source=str(path))
    return document


class Fields:
    """The fields of one object, each with its aliases. `close` refuses what was not asked for, unless lenient."""

    def __init__(self, value: object, path: str, lenient: bool) -> None:
        if not isinstance(value, Mapping):
            raise InputError(f"expected an object, got {value!r:.60}", path=path)
        self.path = path
        self.lenient = lenient
        self._values: Mapping[str, Any] = value
        self._known: set[str] = set()

    def at(self, name: str) -> str:
        """Returns the path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def get(self, *names: str) -> tuple[str, Any]:
        """Returns the path and value of the first name that is given, else None."""
        self._known.update(names)
        found = next((name for name in names if self._values.get(name) is not None), None)
        return (self.at(names[0]), None) if found is None else (self.at(found), self._values[found])

    def text(self, *names: str) -> str | None:
        """Reads a text."""
        path, value = self.get(*names)
        if value is not None and not isinstance(value, str):
            raise InputError(f"expected a text, got {value!r:.60}", path=path)
        return value

    def number(self, *names: str, default: float, least: float = -math.inf) -> float:
        """Reads a number."""
        path, value = self.get(*names)
        if value is None:
            return default
        if isinstance(value, str):  # Gson reads numbers in quotes, and MiSim's own examples have them
            value = _unquoted(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 1e18:
            raise InputError(f"expected a number{_from(least)}, got {value!r:.60}", path=path)
        return value

    def whole(self, *names: str, default: int, least: float = -math.inf) -> int:
        """Reads a whole number."""
        value = self.number(*names, default=default, least=least)
        if value != int(value):
            raise InputError(f"expected a whole number, got {value!r:.60}", path=self.get(*names)[0])
        return int(value)

    def flag(self, *names: str) -> bool:
        """Reads a truth value; false if it is absent."""
        path, value = self.get(*names)
        if value is not None and not isinstance(value, bool):
            raise InputError(f"expected true or false, got {value!r:.60}", path=path)
        return bool(value)

    def objects(self, *names: str) -> list[tuple[str, Any]]:
        """Returns the entries of a list with their paths; a single object counts as a list of one."""
        path, value = self.get(*names)
        if value is None:
            return []
        if isinstance(value, Mapping):
            return [(path, value)]
        if not isinstance(value, list):
            raise InputError(f"expected a list, got {value!r:.60}", path=path)
        return [(f"{path}[{i}]", entry) for i, entry in enumerate(value)]

    def rest(self) -> list[tuple[str, Any]]:
        """Returns the fields that were not asked for, with their paths."""
        return [(self.at(name), value) for name, value in self._values.items() if name not in self._known]

    def close(self) -> None:
        """Refuses fields that were not asked for."""
        for name in self._values:
            if name not in self._known and not self.lenient:
                raise InputError(f"unknown field{hint(name, self._known)}", path=self.at(name))


def _unquoted(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _from(least: float) -> str:
    return "" if least == -math.inf else f", {least:g} or more"


def hint(name: str, known: Collection[str]) -> str:
    """Returns ` (did you mean X?)` for the closest known word, nothing if none is close."""
    snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
    return did_you_mean(snake if snake in known else name, sorted(known))


def quantity(path: str, value: object, below_first: bool) -> Distribution:
    """Reads a number, `"mean+-deviation"` or `"mode+x-y"`.

    `below_first` says that x is the deviation below the mode, else it is the one above.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Constant(value)
    if isinstance(value, str):
        mode, plus, deviations = value.replace(" ", "").partition("+")
        one, minus, other = deviations.partition("-")
        try:
            if not plus:
                return Constant(float(mode))
            if minus:
                first, second = float(one or other), float(other)
                return SplitNormal(float(mode), *((first, second) if below_first else (second, first)))
        except ValueError:
            pass
    raise InputError(f'expected a number, "mean+-deviation" or "mode+x-y", got {value!r:.60}', path=path)


def delay(path: str, value: object, below_first: bool) -> Distribution:
    """Reads a quantity of seconds that is drawn again while it is negative."""
    drawn = quantity(path, value, below_first)
    if drawn.mean() < 0:
        raise InputError(f"expected a delay, 0 or more, got {value!r:.60}", path=path)
    return drawn if isinstance(drawn, Constant) else NotNegative(drawn)
