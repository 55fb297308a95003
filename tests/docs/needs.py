"""What some pages need besides wavetank; each finds a program and returns its folder, or skips with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.controllers.real.clusters import real_manager
from tests.loop.controllers.operators import find_night_shift
from tests.loop.realscheduler import find_kube_scheduler
from tests.loop.volcano.workloads import find_volcano
from tests.support.kueue import find_kueue
from wavetank.errors import InputError
from wavetank.loop.building.cache import Cache


def _kubectl() -> Path:
    return kubectl_binary().parent


def _kube_scheduler() -> Path:
    return Path(find_kube_scheduler().file).parent


def _kube_controller_manager() -> Path:
    return Path(real_manager()).parent


def _kueue() -> Path:
    return Path(find_kueue().file).parent


def _scheduler_plugins() -> Path:
    """It takes ten minutes to build, and so it is only used if it is there."""
    try:
        return Path(Cache().find("scheduler-plugins", "v1.34.10").file).parent
    except InputError as error:
        pytest.skip(str(error))


def _night_shift() -> Path:
    return Path(find_night_shift().file).parent


NEEDS: Mapping[str, Callable[[], Path]] = {
    "kubectl": _kubectl,
    "kube-scheduler v1.35.8": _kube_scheduler,
    "scheduler-plugins v1.34.10": _scheduler_plugins,
    "kube-controller-manager v1.35.8": _kube_controller_manager,
    "kueue v0.16.1": _kueue,
    "night-shift v1.35.0": _night_shift,
    "volcano v1.15.1": find_volcano,
}
