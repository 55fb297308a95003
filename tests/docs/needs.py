"""What some pages need besides wavetank; each finds a program and returns its folder, or skips with the reason."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from apiserver.clients.gobuild import kubectl_binary
from wavetank.errors import InputError
from wavetank.loop.building.cache import Cache


def _kubectl() -> Path:
    return kubectl_binary().parent


def _kube_scheduler() -> Path:
    if sys.platform != "linux":
        pytest.skip("programs run in the loop on Linux")
    try:
        return Path(Cache().find("kube-scheduler", "v1.35.8").file).parent
    except InputError as error:
        pytest.skip(f"the real kube-scheduler is not built: {error}")


NEEDS: Mapping[str, Callable[[], Path]] = {"kubectl": _kubectl, "kube-scheduler v1.35.8": _kube_scheduler}
