"""Bad descriptions of microservices: one line that names file and place, exit status 2, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.commands import Wavetank, refused
from tests.microservices.builders import a_service, an_operation, interval


def write(here: Path, *services: dict[str, Any], operation: str = "a.x", **config: Any) -> None:
    (here / "a.json").write_text(json.dumps({"microservices": list(services)}))
    metadata = {"duration": 10}
    generators = [interval(operation, **config)]
    (here / "e.json").write_text(json.dumps({"simulation_metadata": metadata, "request_generators": generators}))


A = a_service("a", [an_operation("x", 10)])


@pytest.mark.parametrize(
    ("service", "message"),
    [
        (a_service("a", [an_operation("x", 1, "a.y"), an_operation("y", 1, "a.x")]), "microservices: a cycle of calls"),
        (a_service("a", [an_operation("x", 1, "a.z")]), "microservices[0].operations[0].dependencies[0].operation: "),
        (a_service("a", [an_operation("x", -1)]), "microservices[0].operations[0].demand: expected a number, 0 or"),
        (
            a_service("a", [{"name": "x", "dependencies": [{"operation": "x", "probability": -0.1}]}]),
            "microservices[0].operations[0].dependencies[0].probability: expected a probability from 0 to 1, got -0.1",
        ),
        (
            a_service("a", [{"name": "x", "dependencies": [{"operation": "x", "custom_delay": "-1+-0.5"}]}]),
            "microservices[0].operations[0].dependencies[0].custom_delay: expected a delay, 0 or more",
        ),
        (a_service("a", [an_operation()], capacity=0), "microservices[0].capacity: expected a number above 0, got 0"),
    ],
)
def test_a_bad_architecture(wavetank: Wavetank, here: Path, service: dict[str, Any], message: str) -> None:
    write(here, service)
    assert refused(wavetank, here, "misim", "a.json", "e.json").startswith(f"a.json: {message}")


def test_a_deep_architecture(wavetank: Wavetank, here: Path) -> None:
    write(here, A)
    (here / "a.json").write_text("[" * 100_000)
    assert refused(wavetank, here, "misim", "a.json", "e.json").startswith("a.json: not a JSON document: ")


def test_an_unknown_operation_of_users(wavetank: Wavetank, here: Path) -> None:
    write(here, A, operation="a.y")
    line = refused(wavetank, here, "misim", "a.json", "e.json")
    assert line.startswith("e.json: request_generators[0].config.operation: ")


def test_a_folder_that_cannot_be_made(wavetank: Wavetank, here: Path) -> None:
    write(here, A)
    line = refused(wavetank, here, "misim", "a.json", "e.json", "--series", "/proc/series")
    assert line.startswith("/proc/series: cannot be written: ")


def _orchestrate(here: Path, *deployments: tuple[str, int], **config: Any) -> None:
    (here / "k8s").mkdir()
    for name, replicas in deployments:
        template = {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}
        spec = {"replicas": replicas, "template": template}
        manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
        (here / "k8s" / f"{name}.yaml").write_text(yaml.safe_dump(manifest))
    document = {"orchestrate": True, "orchestrationDir": "k8s", "nodes": {"amount": 1, "cpu": 4}, **config}
    (here / "c.yaml").write_text(yaml.safe_dump(document))


@pytest.mark.parametrize(
    ("deployments", "config", "message"),
    [
        ([], {}, "orchestrationDir: service 'a' has no Deployment"),
        ([("a", 1), ("b", 1)], {}, "orchestrationDir: Deployment 'b' has no service"),
        ([("a", 2)], {}, "orchestrationDir: Deployment 'a' has 2 replicas, its service 1 instances"),
        (
            [("a", 1)],
            {"scaler": {"scalerList": [{"service": "aa", "scalerType": "HPA"}]}},
            "scaler.scalerList[0].service: no such Deployment: 'aa'",
        ),
        ([("a", -1)], {}, "orchestrationDir: not a valid Deployment ('a'): expected replicas of 0 or more, got -1"),
        ([("a", 1)], {"networkDelays": {"delayMap": 3}}, "networkDelays.delayMap: expected an object, got 3"),
        ([("a", 1)], {"initialSchedulingOrder": {"order": [3]}}, "initialSchedulingOrder.order: expected a list of"),
        ([("a", 1)], {"scheduler": "kubee"}, "scheduler: unknown scheduler 'kubee' (did you mean kube?)"),
        ([("a", 1)], {"schedular": "kube"}, "schedular: unknown field (did you mean scheduler?)"),
    ],
)
def test_a_configuration_that_does_not_fit(
    wavetank: Wavetank, here: Path, deployments: list[tuple[str, int]], config: dict[str, Any], message: str
) -> None:
    write(here, A)
    _orchestrate(here, *deployments, **config)
    words = ("misim", "a.json", "e.json", "--orchestration", "c.yaml")
    assert refused(wavetank, here, *words).startswith(f"c.yaml: {message}")


def test_lenient_reading_takes_deployments_without_a_service_as_misim_orchestration_does(
    wavetank: Wavetank, here: Path
) -> None:
    write(here, A)
    _orchestrate(here, ("a", 1), ("b", 1))
    assert wavetank("misim", "a.json", "e.json", "--orchestration", "c.yaml", "--lenient").status == 0


def test_a_service_without_a_deployment_in_an_experiment(wavetank: Wavetank, here: Path) -> None:
    service = {"name": "web", "operations": [{"name": "get", "demand": "1ms"}]}
    services = {"services": [service], "users": [{"operation": "web.get", "poisson": 1}]}
    spec = {"cluster": {"nodes": [{"count": 1, "cpu": 1, "memory": "1Gi"}]}, "horizon": "1s", "services": services}
    spec["workload"] = {"generator": {"kind": "burst", "pods": 1}}
    document = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "x"}, "spec": spec}
    (here / "x.yaml").write_text(yaml.safe_dump(document))
    line = refused(wavetank, here, "run", "x.yaml", "-o", "out")
    assert line == "x.yaml: spec.services.services[0].name: no Deployment 'web' in the cluster or the workload"


def test_flags_and_schedulers_of_the_adapter_are_checked(wavetank: Wavetank, here: Path) -> None:
    line = refused(wavetank, here, "misim-adapter", "--autoscaler-flags", "scan-intervall=5s")
    assert line.startswith("--autoscaler-flags: scan-intervall: the flag 'scan-intervall'")
    assert refused(wavetank, here, "misim-adapter", "--scheduler", "defualt").startswith("--scheduler: ")


def test_a_scheduler_without_a_configuration_whose_pods_it_places(wavetank: Wavetank, here: Path) -> None:
    write(here, A)
    line = refused(wavetank, here, "misim", "a.json", "e.json", "--scheduler", "default")
    assert line.startswith("--scheduler: it places the pods of a configuration: give --orchestration")
