"""Values of an experiment that have a form of their own: names, seeds, releases, addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from wavetank.cluster.releases import NEWEST, OLDEST, Version, read_version, version_name
from wavetank.documents import reading
from wavetank.documents.types import Type
from wavetank.errors import InputError

_LARGEST_SEED = 10**18 - 1
_MOST_SEEDS = 100_000
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_OBJECT_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,98}[a-z0-9])?")
_SEEDS = r"\s*\d{1,18}(-\d{1,18})?\s*"
_CLASS = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


def read_name(value: object, path: str) -> str:
    """Reads a name that can be that of a folder: letters, digits, dots, dashes and underscores."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        expected = "expected a name of letters, digits, '.', '-' and '_' that begins and ends with a letter or digit"
        raise InputError(f"{expected}, got {value!r:.60}", path=path)
    return value


def read_object_name(value: object, path: str) -> str:
    """Reads a name that can be that of a Kubernetes object, and the beginning of others."""
    if not isinstance(value, str) or not _OBJECT_NAME.fullmatch(value):
        expected = (
            "expected a name of lower case letters, digits, '.' and '-' that begins and ends with a letter or digit"
        )
        raise InputError(f"{expected}, got {value!r:.60}", path=path)
    return value


def make_name(text: str) -> str:
    """Makes such a name of any text, with dashes for other characters."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:100].strip("._-") or "unnamed"


def parse_version(value: object, path: str) -> Version:
    """Reads a Kubernetes release such as 1.36."""
    version = read_version(str(value)) if isinstance(value, str | float) else None
    if version is None or not OLDEST <= version <= NEWEST:
        oldest, newest = version_name(OLDEST), version_name(NEWEST)
        raise InputError(f'expected a release from "{oldest}" to "{newest}", got {value!r:.60}', path=path)
    return version


def parse_seeds(value: object, path: str) -> tuple[int, ...]:
    """Reads seeds: a list of whole numbers, or a text such as 1-5,9."""
    if isinstance(value, str):
        return _unique(_seed_ranges(value, path), path)
    if isinstance(value, int):
        return (reading.integer(value, path, most=_LARGEST_SEED),)
    given = enumerate(reading.items(value, path))
    return _unique([reading.integer(seed, f"{path}[{i}]", most=_LARGEST_SEED) for i, seed in given], path)


def _seed_ranges(text: str, path: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,18})(?:-(\d{1,18}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise InputError(f"expected seeds such as 1-5 or 1,2,7, got {text!r:.60}", path=path)
        if len(seeds) + last - first >= _MOST_SEEDS:
            raise InputError(f"expected at most {_MOST_SEEDS} seeds, got {text!r:.60}", path=path)
        seeds.extend(range(first, last + 1))
    return seeds


def _unique(seeds: Sequence[int], path: str) -> tuple[int, ...]:
    for seed, times in Counter(seeds).items():
        if times > 1:
            raise InputError(f"the seed {seed} stands twice", path=path)
    return tuple(seeds)


def _read_address(value: object, path: str) -> tuple[str, int]:
    host, _, port = reading.text(value, path).rpartition(":")
    if not host or not port.isdigit():
        raise InputError(f"expected HOST:PORT, got {value!r:.60}", path=path)
    return host, int(port)


def _read_class(value: object, path: str) -> str | type:
    return value if isinstance(value, type) else reading.text(value, path)


def split_class(reference: str) -> tuple[str, str]:
    """Returns the module and the class of `module:Class`."""
    match = _CLASS.fullmatch(reference)
    if not match:
        raise InputError(f"expected module:Class, got {reference!r:.60}")
    return match[1], match[2]


def _releases() -> str:
    minors = "|".join(str(minor) for minor in range(OLDEST[1], NEWEST[1] + 1))
    return rf"^v?{NEWEST[0]}\.({minors})(\.[0-9]+)?$"


_seed = {"type": "integer", "minimum": 0, "maximum": _LARGEST_SEED}

NAME = Type("text", read_name, {"type": "string", "pattern": f"^{_NAME.pattern}$"})
OBJECT_NAME = Type("text", read_object_name, {"type": "string", "pattern": f"^{_OBJECT_NAME.pattern}$"})
RELEASE = Type(
    "text",
    parse_version,
    {
        "anyOf": [
            {"type": "string", "pattern": _releases()},
            {"type": "number", "minimum": float(version_name(OLDEST)), "maximum": float(version_name(NEWEST))},
        ]
    },
)
SEEDS = Type(
    "list, or text such as 1-5,9",
    parse_seeds,
    {
        "anyOf": [
            {"type": "array", "minItems": 1, "uniqueItems": True, "items": _seed},
            {"type": "string", "pattern": f"^{_SEEDS}(,{_SEEDS})*$"},
            _seed,
        ]
    },
)
ADDRESS = Type("text", _read_address, {"type": "string", "pattern": "^.+:[0-9]+$"})
CLASS = Type("text", _read_class, {"type": "string", "pattern": f"^{_CLASS.pattern}$"})
