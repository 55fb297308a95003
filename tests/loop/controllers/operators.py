"""The operator of examples/my-operator, in the cache or built with WAVETANK_ALL."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.support.paths import EXAMPLES
from wavetank.errors import InputError
from wavetank.loop.building.build import build_program
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.building.toolchain import find_toolchain

NAME, VERSION = "night-shift", "v1.35.0"
FOLDER = EXAMPLES / "my-operator"


def find_night_shift() -> Program:
    """Finds the operator; skips if it is not built, unless all tests are run."""
    try:
        return Cache().find(NAME, VERSION, "controller")
    except InputError as error:
        if not os.environ.get("WAVETANK_ALL") or shutil.which("go") is None:
            pytest.skip(str(error))
    package = str(FOLDER / "cmd" / "manager")
    return build_program(find_toolchain(), NAME, None, package, Cache(), lambda what, packages: None)
