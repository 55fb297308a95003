"""What some pages need besides wavetank; each finds a program and returns its folder, or skips with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.controllers.real.clusters import real_manager
from tests.loop.realscheduler import find_kube_scheduler
from tests.support.kueue import find_kueue


def _kubectl() -> Path:
    return kubectl_binary().parent


def _kube_scheduler() -> Path:
    return Path(find_kube_scheduler().file).parent


def _kube_controller_manager() -> Path:
    return Path(real_manager()).parent


def _kueue() -> Path:
    return Path(find_kueue().file).parent


NEEDS: Mapping[str, Callable[[], Path]] = {
    "kubectl": _kubectl,
    "kube-scheduler v1.35.8": _kube_scheduler,
    "kube-controller-manager v1.35.8": _kube_controller_manager,
    "kueue v0.16.1": _kueue,
}
