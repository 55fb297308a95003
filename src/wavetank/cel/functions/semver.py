"""Functions of semantic versions such as 1.2.3-alpha.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cel.gotext import quote
from wavetank.cel.values import EvaluationError, Opaque

_WORD = re.compile("[0-9A-Za-z-]+")
_NUMBERS = ("major", "minor", "patch")


@dataclass(frozen=True, slots=True, order=True)
class Semver(Opaque):
    """A semantic version. Build metadata takes no part in comparisons; a release follows its pre-releases."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[tuple[int, int, str], ...]


_RELEASED = ((2, 0, ""),)  # after any number (0) and any word (1) of a pre-release


def read_semver(text: str) -> Semver:
    """Reads a version; an EvaluationError says what is wrong with it, in the words of Kubernetes."""
    if not text:
        raise EvaluationError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) < len(_NUMBERS):
        raise EvaluationError("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    major, minor, patch_number = map(_number, (parts[0], parts[1], patch), _NUMBERS)
    marks = tuple(map(_prerelease, prerelease.split("."))) if dash else _RELEASED
    for word in build.split(".") if plus else ():
        if not word:
            raise EvaluationError("Build meta data is empty")
        if _WORD.fullmatch(word) is None:
            raise EvaluationError(f"Invalid character(s) found in build meta data {quote(word)}")
    return Semver(major, minor, patch_number, marks)


def _number(text: str, name: str) -> int:
    if not all(char in "0123456789" for char in text):
        raise EvaluationError(f"Invalid character(s) found in {name} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvaluationError(f"{name.capitalize()} number must not contain leading zeroes {quote(text)}")
    if not text:
        raise EvaluationError('strconv.ParseUint: parsing "": invalid syntax')
    return int(text)


def _prerelease(word: str) -> tuple[int, int, str]:
    if not word:
        raise EvaluationError("Prerelease is empty")
    if _WORD.fullmatch(word) is None:
        raise EvaluationError(f"Invalid character(s) found in prerelease {quote(word)}")
    if not word.isdigit():
        return (1, 0, word)
    if len(word) > 1 and word[0] == "0":
        raise EvaluationError(f"Numeric PreRelease version must not contain leading zeroes {quote(word)}")
    return (0, int(word), "")


def _normalized(text: str) -> str:
    """Drops a leading v and leading zeros, and completes a short version."""
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < len(_NUMBERS) and any(mark in parts[-1] for mark in "+-"):
        raise EvaluationError("short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, "0", "0"][: len(_NUMBERS)])


def _without_zeros(part: str) -> str:
    if len(part) < 2:
        return part
    short = part.lstrip("0")
    return short if short[:1].isdigit() else f"0{short}"


def _semver(text: str, normalize: bool = False) -> Semver:
    return read_semver(_normalized(text) if normalize else text)


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        _semver(text, normalize)
    except EvaluationError:
        return False
    return True


SEMVER_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "semver": _semver,
    "isSemver": _is_semver,
    "major": lambda version: version.major,
    "minor": lambda version: version.minor,
    "patch": lambda version: version.patch,
}
