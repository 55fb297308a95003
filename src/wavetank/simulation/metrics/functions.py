from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

from wavetank.errors import InputError


def load_function(reference: str, folder: Path) -> Callable[[float], float]:
    """Imports a function named `module:name`, whose module may be in `folder`; InputError if there is none."""
    module, colon, name = reference.partition(":")
    if not colon or not module or not name:
        raise InputError(f"expected module:function, got {reference!r}")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"cannot import {module}: {error}") from None
    if not callable(found):
        raise InputError(f"{module} has no function {name}")
    function: Callable[[float], float] = found
    return function
