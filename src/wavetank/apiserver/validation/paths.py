"""Paths of files inside volumes and on nodes."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import invalid
from wavetank.apiserver.validation.errors import Errors


def check_no_backsteps(target: str, path: str) -> Errors:
    """Checks that a path does not lead upwards."""
    if ".." in target.split("/"):
        yield invalid(path, target, "must not contain '..'")


def check_descending(target: str, path: str) -> Errors:
    """Checks that a path is relative and leads downwards."""
    if target.startswith("/"):
        yield invalid(path, target, "must be a relative path")
    yield from check_no_backsteps(target, path)


def check_not_reserved(target: str, path: str) -> Errors:
    """Checks that a path leads downwards and is not one that volumes use themselves."""
    yield from check_descending(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield invalid(path, target, "must not start with '..'")
