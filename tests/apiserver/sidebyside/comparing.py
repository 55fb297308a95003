"""Where two conversations differ, apart from what differs between any two runs of one server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tests.apiserver.sidebyside.conversing import Step

UID = re.compile(r"\b(?!0000000\d-1111)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b(20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z")
VERSION = re.compile(
    r"(?<=resource version: )\d+(?: \(\d+\))?|(?<=(?:cord|tion) \()\d+(?=\))|(?<=object meta: )\d+\b"
    r"|(?<=current: )\d+\b"
    r"|(?<=resourceVersion: .)\d+\b"
)
DUMP = re.compile(r'"\{\\"(?:apiVersion|kind|metadata|[a-z]+).*\}"', re.DOTALL)  # an object in Go's order of fields
SOURCE = re.compile(r"pkg/[a-z/]+/scheme\.go:\d+")  # depends on how the server was built
ADDRESS = re.compile(r"\b10\.0\.\d+\.\d+\b(?!/)")
AGE = re.compile(r"<invalid>|\d+[ydhms](\d+[dhms])?")
JWT = re.compile(r"\b[\w-]{20,}\.[\w-]{40,}\.[\w-]{40,}")
SUFFIX = re.compile(r"(?<=-gen-)[a-z0-9]{5}\b")  # what scenarios generate ends so
LISTS = ("List", "Table")
NEAR_S = 3
_CONTEXT = 60
THIS_YEAR = datetime.now(UTC).year


class Comparable:
    """Replaces uids, versions, times, addresses and ports of a conversation by the order in which they appeared."""

    def __init__(self, steps: Sequence[Step]) -> None:
        versions = sorted({int(version) for step in steps for version in _versions(step.answer)})
        self._versions = {str(version): f"<version {rank}>" for rank, version in enumerate(versions)}
        self._seen: dict[str, dict[str, str]] = {}
        self._asked = 0

    def read(self, step: Step) -> Any:
        """Returns an answer in the form that is compared."""
        self._asked = step.asked
        return self._value(step.answer, "", step.answer)

    def _value(self, value: Any, key: str, parent: Any) -> Any:
        if isinstance(value, dict):
            if key == "metadata" and str(parent.get("kind", "")).endswith(LISTS):
                value = {name: each for name, each in value.items() if name != "resourceVersion"}
            return {self._text(name, ""): self._value(each, name, value) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, key, parent) for each in value]
        if isinstance(value, str):
            return self._text(value, key)
        if key in ("nodePort", "healthCheckNodePort") and value:
            return self._nth("port", str(value))
        return value

    def _text(self, text: str, key: str) -> str:
        if key == "resourceVersion":
            return self._versions.get(text, text)
        if key == "continue" and len(text) > 20:
            return "<continue>"
        if key == "cells" and AGE.fullmatch(text):
            return "<age>"
        text = DUMP.sub("<object>", SOURCE.sub("<scheme>", text))
        text = JWT.sub("<token>", text)
        text = SUFFIX.sub(lambda found: self._nth("suffix", found[0]), text)
        text = UID.sub(lambda found: self._nth("uid", found[0]), text)
        text = VERSION.sub("<version>", text)
        text = ADDRESS.sub(lambda found: self._nth("address", found[0]), text)
        return TIME.sub(self._time, text)

    def _time(self, found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
        if at.year != THIS_YEAR:
            return found[0]
        away = int(at.timestamp()) - self._asked
        return f"<{'micro' if found[2] else ''}time{f' +{away} s' if away > NEAR_S else ''}>"

    def _nth(self, kind: str, value: str) -> str:
        seen = self._seen.setdefault(kind, {})
        return seen.setdefault(value, f"<{kind} {len(seen)}>")


def _versions(value: Any, key: str = "", parent: Any = None) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "resourceVersion" and isinstance(each, str) and each.isdigit():
                if not (key == "metadata" and str((parent or {}).get("kind", "")).endswith(LISTS)):
                    yield each
            else:
                yield from _versions(each, name, value)
    elif isinstance(value, list):
        for each in value:
            yield from _versions(each, key, parent)


def differences(real: Sequence[Step], ours: Sequence[Step]) -> Iterator[tuple[Step, list[str]]]:
    """Yields the steps that differ, each with the paths, the real value and ours."""
    left, right = Comparable(real), Comparable(ours)
    for one, other in zip(real, ours, strict=False):
        found = list(_compare(left.read(one), right.read(other), ""))
        if found:
            yield one, found


def _compare(real: Any, ours: Any, path: str) -> Iterator[str]:
    if _words(real) == _words(ours) is not None:
        return  # errors about a map come in any order
    if isinstance(real, dict) and isinstance(ours, dict):
        for key in sorted({*real, *ours}):
            if key not in ours:
                yield f"{path}.{key}: missing: {real[key]!r}"
            elif key not in real:
                yield f"{path}.{key}: not in the real one: {ours[key]!r}"
            else:
                yield from _compare(real[key], ours[key], f"{path}.{key}")
    elif isinstance(real, list) and isinstance(ours, list) and path.endswith((".causes", ".warning", ".managedFields")):
        yield from (f"{path}: missing: {each!r}" for each in _without(real, ours))
        yield from (f"{path}: not in the real one: {each!r}" for each in _without(ours, real))
    elif isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours):
        for index, (one, other) in enumerate(zip(real, ours, strict=True)):
            yield from _compare(one, other, f"{path}[{index}]")
    elif type(real) is not type(ours) or real != ours:
        one, other = repr(real), repr(ours)
        start = max(0, _common(one, other) - _CONTEXT)
        yield f"{path}: …{one[start:]}, ours: …{other[start:]}" if start else f"{path}: {one}, ours: {other}"


def _without(some: list[Any], others: list[Any]) -> list[Any]:
    left = list(others)
    return [each for each in some if each not in left or left.remove(each)]  # type: ignore[func-returns-value]


def _words(message: Any) -> list[str] | None:
    is_list = isinstance(message, str) and "is invalid: [" in message
    return sorted(re.split(r"[\[\], ]+", message)) if is_list else None


def _common(one: str, other: str) -> int:
    """Returns the length of the part that two texts begin with."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
