"""misim-orchestration's configurations: killed pods, restarts, and Kubernetes' scheduler and autoscaler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.microservices.builders import a_service, an_architecture, an_operation, interval
from wavetank.cluster.releases import NEWEST
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.model.rules import CORRECT, MISIM_ORCHESTRATION, Rules
from wavetank.microservices.orchestration.config import OrchestrationConfig, read_config
from wavetank.microservices.orchestration.plane import PlaneReport
from wavetank.microservices.orchestration.run import run_orchestration
from wavetank.misimadapter.placer import KubePlacer
from wavetank.verification.microservices.recorder import SeriesRecorder

_SET = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
_CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"


def a_deployment(replicas: int = 1, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    template = {"spec": {"containers": [container], **spec}}
    metadata = {"name": "a"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": replicas, "template": template},
    }


def a_config(folder: Path, *manifests: dict[str, Any], **fields: Any) -> OrchestrationConfig:
    (folder / "k8s").mkdir()
    for i, manifest in enumerate(manifests):
        (folder / "k8s" / f"{i}.yaml").write_text(yaml.safe_dump(manifest))
    config = {"orchestrate": True, "orchestrationDir": "k8s", "nodes": {"amount": 2, "cpu": 2}, **fields}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return read_config(folder / "config.yaml")


def play(
    config: OrchestrationConfig,
    *actions: dict[str, Any],
    duration: float = 60,
    rules: Rules = MISIM_ORCHESTRATION,
    scheduler: str = "",
) -> list[PlaneReport]:
    architecture = an_architecture(a_service("a", [an_operation(demand=10)], instances=1))
    reader = ExperimentReader(architecture, rules, (), lenient=False)
    metadata = {"duration": duration}
    experiment = reader.parse(
        {"simulation_metadata": metadata, "request_generators": [interval("a.x")], "acts": list(actions)}
    )
    placer = None
    if scheduler:
        found = parse_entries([entry_of(scheduler)], Path(), NEWEST)[0].schedulers
        placer = KubePlacer(config.manifests, found, NEWEST)
    return run_orchestration(architecture, experiment, config, SeriesRecorder(), 1, rules=rules, placer=placer)


def running(reports: list[PlaneReport]) -> list[int]:
    return [report.running["a"] for report in reports]


def aiming(**config: Any) -> dict[str, Any]:
    return {"type": "aiming_chaos_monkey_pods", "config": {"deployment": "a", "instances": 1, "time": 5.5, **config}}


def test_an_aimed_kill_fails_the_pod_which_is_replaced_in_misim(tmp_path: Path) -> None:
    reports = play(a_config(tmp_path, a_deployment(2), healthCheckDelay=3), aiming(service="a"))
    assert running(reports)[5:10] == [2, 1, 1, 1, 2]


def test_an_aimed_kill_restarts_the_container_after_a_back_off_in_correct(tmp_path: Path) -> None:
    reports = play(a_config(tmp_path, a_deployment(1)), aiming(service="a"), rules=CORRECT)
    assert [second for second, number in enumerate(running(reports)) if not number] == list(range(6, 16))


def test_the_back_off_doubles_for_each_retry_that_fails(tmp_path: Path) -> None:
    reports = play(a_config(tmp_path, a_deployment(1)), aiming(service="a", retries=1), rules=CORRECT)
    assert sum(not number for number in running(reports)) == 10 + 20


def test_a_pod_that_restarts_may_be_scaled_down(tmp_path: Path) -> None:
    scaler = {"service": "a", "scalerType": "Fake", "maxReplicas": 1, "increment": 1, "decrement": 1}
    config = a_config(tmp_path, a_deployment(2), scaler={"scalerList": [scaler]}, scalingInterval=8)
    assert running(play(config, aiming(service="a"), rules=CORRECT))[20] <= 1


def test_an_aimed_kill_of_another_service_kills_nothing(tmp_path: Path) -> None:
    assert set(running(play(a_config(tmp_path, a_deployment(2)), aiming(service="other")))) == {2}


def test_without_a_number_no_pod_is_killed(tmp_path: Path) -> None:
    monkey = {"type": "chaosmonkey_pods", "config": {"deployment": "a", "time": 5}}
    reports = play(a_config(tmp_path, a_deployment(2), healthCheckDelay=30), monkey)
    assert set(running(reports)) == {2}


def test_an_unknown_deployment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such deployment: 'b'"):
        play(a_config(tmp_path, a_deployment()), aiming(deployment="b"))


def test_even_gives_all_to_one_pod_so_a_reactive_scaler_without_a_maximum_runs_away_in_misim(tmp_path: Path) -> None:
    """After each change of their number another pod gets all requests; the mean over twelve pods stays high."""
    scaler = {"service": "a", "scalerType": "SimpleReactive", "lowerBound": 0.3, "upperBound": 0.8, "holdTime": 30}
    config = a_config(tmp_path, a_deployment(), nodes={"amount": 3, "cpu": 4}, scaler={"scalerList": [scaler]})
    architecture = an_architecture(a_service("a", [an_operation(demand=100)], loadbalancer_strategy="even"))
    reader = ExperimentReader(architecture, MISIM_ORCHESTRATION, (), lenient=False)
    load = [interval("a.x", load=15, stop=60), interval("a.x", load=2)]
    experiment = reader.parse({"simulation_metadata": {"duration": 80}, "request_generators": load})
    reports = run_orchestration(architecture, experiment, config, SeriesRecorder(), 1)
    assert [reports[second].waiting for second in (16, 31, 46, 61, 76)] == [2, 4, 24, 108, 237]


def test_kube_places_by_kube_schedulers_rules(tmp_path: Path) -> None:
    selector = {"kubernetes.io/hostname": "Node1"}
    config = a_config(tmp_path, a_deployment(3, nodeSelector=selector), scheduler="kube")
    last = play(config, scheduler="default")[-1]
    assert (last.on_nodes["Node0"]["a"], last.on_nodes["Node1"]["a"], last.waiting) == (0, 2, 1)


def test_with_machine_sets_the_cluster_grows(tmp_path: Path) -> None:
    annotations = {f"{_SET}min-size": "0", f"{_SET}max-size": "2", f"{_CAPACITY}cpu": "4", f"{_CAPACITY}memory": "9G"}
    machines = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineSet"}
    machines |= {"metadata": {"name": "more", "namespace": "kube-system", "annotations": annotations}}
    machines |= {"spec": {"replicas": 0}}
    scaler = {"service": "a", "scalerType": "Fake", "maxReplicas": 9, "increment": 2, "decrement": 2}
    config = a_config(
        tmp_path,
        a_deployment(2),
        machines,
        scheduler="kube",
        useClusterAutoscaler=True,
        scaler={"scalerList": [scaler]},
    )
    reports = play(config, scheduler="default")
    assert set(reports[1].on_nodes) == {"Node0", "Node1"}
    assert set(reports[20].on_nodes) == {"Node0", "Node1", "more-machine-0-node"}
    assert reports[20].on_nodes["more-machine-0-node"]["a"] == 2
