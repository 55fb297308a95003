from __future__ import annotations

import shutil
import sys

import pytest

from wavetank.errors import InputError
from wavetank.loop.building.build import build_program
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.building.toolchain import BuildError, find_toolchain

VERSION = "v1.35.8"


def find_kube_scheduler() -> Program:
    """Finds the real kube-scheduler in the cache or builds it, which takes minutes the first time; else skips."""
    if sys.platform != "linux":
        pytest.skip("programs run in the loop on Linux")
    try:
        return Cache().find("kube-scheduler", VERSION)
    except InputError:
        if shutil.which("go") is None:
            pytest.skip("kube-scheduler is not built, and there is no go command")
    try:
        return build_program(find_toolchain(), "kube-scheduler", VERSION, None, Cache(), lambda what, packages: None)
    except BuildError as error:
        if "cannot download" in str(error):
            pytest.skip(f"kube-scheduler is not built, and Go's module proxy cannot be reached: {error}")
        raise
