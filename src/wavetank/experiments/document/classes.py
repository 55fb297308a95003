"""Policies of the user: classes that a document names as `module:Class`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from wavetank.errors import InputError
from wavetank.experiments.document.structures.values import split_class


def load_class(reference: str, folder: Path) -> type:
    """Imports `module:Class`; modules are looked for in `folder` first, then in the working folder."""
    module, name = split_class(reference)
    _look_first_in(module, [str(folder.resolve()), str(Path.cwd())])
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot import {module}: {type(error).__name__}: {error}") from error
    if not isinstance(found, type):
        raise InputError(f"the module {module} has no class {name}")
    return found


_searched: set[str] = set()


def _look_first_in(module: str, places: list[str]) -> None:
    """Puts places at the head of the search, and forgets a namesake that came from the place of another experiment."""
    loaded = sys.modules.get(module)
    origin = str(Path(getattr(loaded, "__file__", None) or "").parent)
    if origin in _searched and origin not in places:
        del sys.modules[module]
    sys.path[:] = [*places, *(place for place in sys.path if place not in places)]
    _searched.update(places)
    importlib.invalidate_caches()  # a module may have been written a moment ago
