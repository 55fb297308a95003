"""Every request of real controllers is the same in each run, alone or beside the real kube-scheduler, idle or busy."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.experiments.nodepools.pools import deployment
from tests.loop.controllers.test_karpenter import CLASS, POOL, custom_kinds
from tests.loop.controllers.test_kueue import RECLAIM, mixed, two_teams
from tests.loop.programs import REAL, an_experiment
from tests.loop.real.test_repeatability import busy_cores
from tests.loop.volcano.workloads import a_case, an_experiment_of
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.recording import record
from wavetank.loop.building.cache import Cache
from wavetank.loop.turns.participant import Participant

ALL = bool(os.environ.get("WAVETANK_ALL"))
RUNS = 10 if ALL else 2
VERSIONS = {
    "kube-controller-manager": "v1.35.8",
    "karpenter": "v1.12.0",
    "kueue": "v0.16.1",
    "vc-scheduler": "v1.15.1",
    "vc-controller-manager": "v1.15.1",
    "vc-webhook-manager": "v1.15.1",
    "kube-scheduler": "v1.35.8",
}


def a_rollout(folder: Path, schedulers: list[Any]) -> Experiment:
    """Returns a run of the real controller manager with Deployments and a Job."""
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sum", "namespace": "default", "annotations": {"wavetank.dev/arrival": "10s"}},
        "spec": {
            "completions": 6,
            "parallelism": 2,
            "template": {
                "metadata": {"annotations": {"wavetank.dev/duration": "20s"}},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
            },
        },
    }
    objects = [deployment("a", 5, "500m", "120s", "5s"), deployment("b", 3, "1", "90s", "30s"), job]
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    return an_experiment(
        workload={"file": str(folder / "objects.yaml")},
        controllers={"process": {"version": "v1.35.8"}},
        schedulers=schedulers,
        horizon="4m",
    )


def a_pool(folder: Path, schedulers: list[Any]) -> Experiment:
    """Returns a run of Karpenter, in which nodes come and go."""
    objects = [deployment("a", 3, "1", "", "20s"), deployment("b", 6, "2", "200s", "100s")]
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    return an_experiment(
        workload={"file": str(folder / "objects.yaml")},
        cluster={
            "nodes": [{"name": "control", "cpu": "100m", "memory": "64Mi"}],
            "objects": [*custom_kinds(), CLASS, POOL],
        },
        controllers=[{"name": "karpenter", "process": {"timerSlack": "1ms"}}],
        schedulers=schedulers,
        horizon="10m",
        ties="random",
    )


VOLCANO = {"name": "volcano", "process": {"package": "vc-scheduler", "version": "v1.15.1"}}
SHORT = "3m" if ALL else "1m"


def gangs_alone(folder: Path, schedulers: list[Any]) -> Experiment:
    """Returns a run of Volcano's scheduler beside built-in controllers."""
    return an_experiment_of(a_case(1), folder, schedulers=[VOLCANO], horizon=SHORT)


def some_gangs(folder: Path, schedulers: list[Any]) -> Experiment:
    """Returns a run of Volcano's scheduler, controllers and webhooks, and of a scheduler for other pods beside them."""
    others = [{**each, "schedulerName": "default-scheduler"} for each in schedulers]
    return an_experiment_of(
        a_case(1),
        folder,
        schedulers=[{"name": "both", "together": [{**VOLCANO, "schedulerName": "volcano"}, *others]}],
        controllers=[{"name": name, "process": {}} for name in ("vc-controller-manager", "vc-webhook-manager")],
        horizon=SHORT,
    )


def some_queues(folder: Path, schedulers: list[Any]) -> Experiment:
    """Returns a run of Kueue with Jobs of two teams that preempt each other."""
    jobs = folder / "jobs.yaml"
    jobs.write_text(yaml.safe_dump_all(mixed()))
    return an_experiment(
        workload={"file": str(jobs)},
        cluster={"nodes": [{"count": 4, "cpu": 16, "memory": "64Gi"}], "objects": two_teams(preemption=RECLAIM)},
        controllers=[{"name": "kueue", "process": {}}],
        schedulers=schedulers,
        horizon="5m",
    )


def digest(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> str:
    """Hashes all requests of a run, with their instants, and its results.

    Of Karpenter's Events only their number: the texts of Unconsolidatable list pods in the order of a map keyed by
    their addresses (Results.NonPendingPodSchedulingErrors).
    """
    summed = hashlib.sha256()
    answer = Participant._answer

    def note(self: Participant, listener: Any, connection: Any, request: Any) -> None:
        name, path = self.process.name, request.path
        body = b"" if name.endswith(" karpenter") and path.endswith("/events") else request.body
        asked = (self._clock.now, name, request.method, path, request.query, body)
        summed.update(repr(asked).encode())
        answer(self, listener, connection, request)

    with monkeypatch.context() as patched:
        patched.setattr(Participant, "_answer", note)
        recorder = record(experiment.setting(experiment.schedulers[0]), 1)
    summed.update(repr([(row.name, row.node, row.scheduled, row.finished) for row in recorder.rows]).encode())
    return summed.hexdigest()


BUILT_IN: list[Any] = [{"name": "default"}]
BESIDE = [{"name": "real", "process": REAL}]
WHOLE_VOLCANO = ["vc-scheduler", "vc-controller-manager", "vc-webhook-manager"]
LONG = pytest.mark.skipif(not ALL, reason="takes minutes: make test-all")


@pytest.mark.parametrize(
    ("make", "schedulers", "programs"),
    [
        pytest.param(a_rollout, BUILT_IN, ["kube-controller-manager"], id="kube-controller-manager"),
        pytest.param(some_queues, BUILT_IN, ["kueue"], id="Kueue"),
        pytest.param(some_queues, BESIDE, ["kueue", "kube-scheduler"], id="Kueue and kube-scheduler", marks=LONG),
        pytest.param(gangs_alone, [], ["vc-scheduler"], id="Volcano's scheduler"),
        pytest.param(some_gangs, BUILT_IN, WHOLE_VOLCANO, id="Volcano", marks=LONG),
        pytest.param(a_pool, BUILT_IN, ["karpenter"], id="Karpenter", marks=LONG),
        pytest.param(
            a_rollout,
            BESIDE,
            ["kube-controller-manager", "kube-scheduler"],
            id="kube-controller-manager and kube-scheduler",
            marks=LONG,
        ),
        pytest.param(
            some_gangs,
            BESIDE,
            [*WHOLE_VOLCANO, "kube-scheduler"],
            id="Volcano and kube-scheduler",
            marks=LONG,
        ),
        pytest.param(a_pool, BESIDE, ["karpenter", "kube-scheduler"], id="Karpenter and kube-scheduler", marks=LONG),
    ],
)
def test_all_requests_are_the_same(tmp_path, monkeypatch, make, schedulers, programs):
    for name in programs:
        try:
            Cache().find(name, VERSIONS[name], "controller")
        except InputError as error:
            pytest.skip(str(error))
    digests = [digest(make(tmp_path, schedulers), monkeypatch) for _ in range(RUNS // 2)]
    with busy_cores():
        digests += [digest(make(tmp_path, schedulers), monkeypatch) for _ in range(RUNS // 2)]
    print(f"{max(map(digests.count, digests))} of {RUNS} runs agree")
    assert len(set(digests)) == 1
