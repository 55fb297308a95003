"""Runs in which autoscalers scale the Deployment `web`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.autoscaling.clusters import HPA, NODES, parsed, total, web
from tests.experiments.trials import HEAD
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.recording import record
from wavetank.kernel.durations import SECOND


def replicas_at(experiment: Experiment, *times_s: int) -> list[int]:
    """Returns how many pods there are at some times."""
    recorder = record(experiment.setting(experiment.schedulers[0]), 1)
    rows = [(row.submitted / SECOND, (row.finished or recorder.end + 1) / SECOND) for row in recorder.rows]
    return [sum(begin <= time < end for begin, end in rows) for time in times_s]


def test_the_load_decides_over_the_replicas(tmp_path: Path) -> None:
    """At 50 % of half a core a pod carries 250m: one core needs 4 pods, two need 8, none needs the least."""
    metrics = total(("0s", 1), ("20m", 2), ("40m", 0))
    experiment = parsed(tmp_path, metrics=metrics)
    assert replicas_at(experiment, 10, 600, 1900, 2500, 3500) == [2, 4, 8, 8, 2]


def test_without_metrics_pods_use_what_they_request(tmp_path: Path) -> None:
    assert replicas_at(parsed(tmp_path), 3599) == [20]


@pytest.mark.parametrize(
    ("hpa", "replicas"),
    [
        pytest.param({"model": "HPA"}, [2, 4, 4], id="HPA"),
        pytest.param({"model": "Fake", "max": 4, "increment": 1}, [2, 3, 4], id="Fake"),
        pytest.param({"model": "SimpleReactive"}, [2, 3, 3], id="SimpleReactive"),
    ],
)
def test_models_of_misim_by_name(hpa: dict[str, Any], replicas: list[int], tmp_path: Path) -> None:
    experiment = parsed(tmp_path, hpa=[{**HPA, **hpa}], metrics=total(("0s", 1)), horizon="1m")
    assert replicas_at(experiment, 14, 16, 31) == replicas


def test_syncs_have_the_stated_period(tmp_path: Path) -> None:
    experiment = parsed(tmp_path, metrics=total(("0s", 1)), autoscaling={"syncPeriod": "40s"}, horizon="1m")
    assert replicas_at(experiment, 39, 41) == [2, 4]


def test_an_hpa_may_be_part_of_the_workload(tmp_path: Path) -> None:
    manifest = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "annotations": {"wavetank.dev/arrival": "5m"}},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 9},
    }
    (tmp_path / "all.yaml").write_text("\n---\n".join(map(json.dumps, (web(), manifest))))
    spec = {"cluster": {"nodes": NODES}, "workload": {"file": "all.yaml"}, "horizon": "10m", "metrics": total(("0", 2))}
    assert replicas_at(parse_experiment({**HEAD, "spec": spec}, tmp_path), 314, 316) == [2, 4]
