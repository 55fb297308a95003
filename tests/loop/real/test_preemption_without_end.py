"""Preemptions whose victims are replaced at once: the real kube-scheduler settles, or never ends, as the built-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.loop.programs import REAL
from tests.simulation.experiments import simulate
from tests.simulation.preemptions import a_preemption
from wavetank.errors import StandstillError
from wavetank.kernel import clock as clocks
from wavetank.kernel.durations import SECOND
from wavetank.simulation import standstill

_PLUGINS = {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "TaintToleration", "weight": 1}]}}
_TTP = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"plugins": _PLUGINS}],
}


def _real(experiment: dict[str, Any]) -> dict[str, Any]:
    return {**experiment, "schedulers": [{"name": "TTP", "process": {**REAL, "config": _TTP}}]}


def test_both_settle_if_a_single_pod_is_replaced(tmp_path: Path) -> None:
    """How many rounds the real one takes depends on which of its event handlers runs first."""
    experiment = a_preemption(tmp_path, "1.35", replicas=1)
    for recorder in (simulate(experiment), simulate(_real(experiment))):
        left = [row for row in recorder.rows if row.finished is None]
        assert [(row.name, row.phase, row.node) for row in left] == [
            ("vip", "Running", "node-0"),
            ("web-0", "Pending", ""),
        ]
        assert left[0].scheduled == 10 * SECOND


def test_the_real_one_preempts_without_end_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (clocks, standstill):
        monkeypatch.setattr(module, "BLOCK", 100)
    monkeypatch.setattr(standstill, "MOST_CREATIONS", 30)
    with pytest.raises(StandstillError, match=r"Pod default/vip preempted StatefulSet default/web \d+ times"):
        simulate(_real(a_preemption(tmp_path, "1.35", replicas=2)))
