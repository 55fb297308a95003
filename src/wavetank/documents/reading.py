"""Reading documents strictly: each function checks one value and names its place if it is not as expected."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, parse_amounts
from wavetank.cluster.fields.selectors import read_label_key, read_label_value
from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution, parse_distribution
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.words import closest, did_you_mean

Word = TypeVar("Word", bound=str)

LONGEST: Nanoseconds = 36_525 * 86_400 * SECOND  # a century: twice that still fits into 64 bits
MOST_OBJECTS = 1_000_000  # that one entry of a document may stand for


def mapping(value: object, path: str, known: Collection[str] | None = None) -> Mapping[str, Any]:
    """Reads a mapping; with `known`, any other key is refused."""
    if not isinstance(value, Mapping):
        raise InputError(f"expected a mapping, got {value!r:.60}", path=path)
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"expected names as keys, got {key!r:.60}", path=path)
        if known is not None and key not in known:
            raise InputError(f"unknown field {key!r:.60} ({_hint(key, known)})", path=path)
    return value


def sequence(value: object, path: str) -> list[Any]:
    """Reads a list, which may be empty."""
    if not isinstance(value, list):
        raise InputError(f"expected a list, got {value!r:.60}", path=path)
    return value


def items(value: object, path: str) -> list[Any]:
    """Reads a list with at least one item."""
    if not isinstance(value, list) or not value:
        raise InputError(f"expected a list with at least one item, got {value!r:.60}", path=path)
    return value


def text(value: object, path: str) -> str:
    """Reads a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"expected a text, got {value!r:.60}", path=path)
    return value


def choice(value: object, path: str, known: Collection[Word]) -> Word:
    """Reads one of the known words."""
    for word in known:
        if word == value:
            return word
    expected = " or ".join(known) if len(known) == 2 else f"one of {', '.join(known)}"
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise InputError(f"expected {expected}, got {value!r:.60}{hint}", path=path)


def constant(value: object, path: str, word: str) -> str:
    """Reads the one word that a field may have."""
    if value != word:
        raise InputError(f"expected {word}, got {value!r:.60}", path=path)
    return word


def boolean(value: object, path: str) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, got {value!r:.60}", path=path)
    return value


def integer(value: object, path: str, least: int = 0, most: int | None = None) -> int:
    """Reads a whole number from `least` to `most`."""
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if not fits or (most is not None and value > most):  # type: ignore[operator]
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        raise InputError(f"expected a whole number, {bounds}, got {value!r:.60}", path=path)
    assert isinstance(value, int)
    return value


def number(value: object, path: str) -> float:
    """Reads a finite number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"expected a number, 0 or more, got {value!r:.60}", path=path)
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"the number {value!r:.60}… is too large", path=path) from None


def duration(value: object, path: str) -> Nanoseconds:
    """Reads a duration of at most a century."""
    try:
        time = parse_duration(value, path=path)
    except OverflowError:
        time = LONGEST + 1
    if time > LONGEST:
        raise InputError(f"expected at most a century, got {value!r:.60}", path=path)
    return time


def distribution(value: object, path: str) -> Distribution:
    """Reads a distribution of times with an average of at most a century."""
    try:
        read = parse_distribution(value, path=path)
        if read.mean() <= LONGEST / SECOND:
            return read
    except OverflowError:
        pass
    raise InputError(f"expected at most a century on average, got {value!r:.60}", path=path)


def amount(value: object, path: str, resource: str, least: int = 0) -> int:
    """Reads an amount of one resource, in milli-CPU, bytes or counts."""
    try:
        read = parse_amounts({resource: value})[resource]
    except InputError as error:
        raise InputError(error.message, path=path) from None
    if read < least:
        raise InputError(f"expected an amount above 0, got {value!r:.60}", path=path)
    return read


def amounts(value: object, path: str) -> dict[str, int]:
    """Reads amounts of resources by their Kubernetes names, in milli-CPU, bytes and counts."""
    for name in mapping(value, path):
        if name not in (CPU, MEMORY, EPHEMERAL_STORAGE) and "/" not in name and not name.startswith("hugepages-"):
            expected = "cpu, memory, ephemeral-storage, hugepages-… or a name with a domain such as nvidia.com/gpu"
            raise InputError(f"unknown resource {name!r:.60}: expected {expected}", path=path)
    return parse_amounts(mapping(value, path), path=path)


def labels(value: object, path: str) -> dict[str, str]:
    """Reads labels."""
    read = {}
    for key, label in mapping(value, path).items():
        try:
            read[read_label_key(key)] = read_label_value(label)
        except InputError as error:
            raise error.inside(path=f"{path}.{key}") from None
    return read


def strings(value: object, path: str) -> Mapping[str, str]:
    """Reads a mapping of texts, such as annotations; null reads as an empty one."""
    if value is None:
        return {}
    texts = mapping(value, path)
    for key, item in texts.items():
        if not isinstance(item, str):
            raise InputError(f"expected a text (in quotes), got {item!r:.60}", path=f"{path}.{key}")
    return texts


def _hint(key: str, known: Collection[str]) -> str:
    near = closest(key, known)
    return f"did you mean {near}?" if near else f"expected one of {', '.join(known)}"
