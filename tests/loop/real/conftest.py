from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from wavetank.errors import InputError
from wavetank.loop.building.build import build_program
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.toolchain import BuildError, find_toolchain

SHARED = Path(os.environ.get("WAVETANK_SHARED", Path(__file__).parents[4] / "shared"))


def pytest_collection_modifyitems(items):
    """Lets tests that need the real program wait for it, or tells why they are skipped."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.fixturenames.insert(0, "kube_scheduler")


@pytest.fixture(scope="session")
def kube_scheduler():
    """Finds the real kube-scheduler in the cache or builds it, which takes minutes the first time."""
    if sys.platform != "linux":
        pytest.skip("programs run in the loop on Linux")
    try:
        return Cache().find("kube-scheduler", "v1.35.8")
    except InputError:
        if shutil.which("go") is None:
            pytest.skip("kube-scheduler is not built, and there is no go command")
    try:
        return build_program(find_toolchain(), "kube-scheduler", "v1.35.8", None, Cache(), lambda what, packages: None)
    except BuildError as error:
        if "cannot download" in str(error):
            pytest.skip(f"kube-scheduler is not built, and Go's module proxy cannot be reached: {error}")
        raise
