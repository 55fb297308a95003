"""Bad sections of an experiment: one line that names the place, exit status 2, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Wavetank, an_experiment, names_in

EXAMPLE = Path(__file__).parents[2] / "examples" / "batsim"
GROUP = {"name": "g", "max": 2, "cpu": 2, "memory": "4Gi"}
TYPE = {"name": "m", "cpu": 2, "memory": "4Gi", "price": 1}
POWER = {"idle": 100, "full": 200}
TESTBED = {
    "apiVersion": "esi.tu-berlin.de/v1alpha1",
    "kind": "Testbed",
    "metadata": {"name": "bed"},
    "spec": {"slotsPerNode": 1, "nodeLabel": "slots", "resourcesPerSlot": {"cpu": "1", "memory": "1Gi"}},
}
CHANGE = {"at": "5s", "kind": "Scheduling", "name": "queue", "delete": True}
LATE = {"name": "bed", "annotations": {"wavetank.dev/submit": "1m"}}
MISSPELT = {"key": "a", "effect": "NoSchedule", "vlaue": "b"}
SERVICE = {"name": "a", "operations": [{"name": "x", "demand": "10ms"}]}


def _groups(**fields: Any) -> dict[str, Any]:
    return {"nodeGroups": [{**GROUP, **fields}]}


def _pools(**fields: Any) -> dict[str, Any]:
    return {"nodePools": [{"name": "p", "instanceTypes": [{**TYPE, **fields}]}], "horizon": "1m"}


def _power(**fields: Any) -> dict[str, Any]:
    return {"cluster": {"nodes": [{"cpu": 4, "memory": "8Gi", "power": {**POWER, **fields}}]}}


def _operator(manifest: dict[str, Any] = TESTBED, **change: Any) -> dict[str, Any]:
    return {"operator": {"objects": [manifest], "changes": [{**CHANGE, **change}]}}


def _patched(patch: dict[str, Any]) -> dict[str, Any]:
    return {
        "operator": {"objects": [TESTBED], "changes": [{"at": 0, "kind": "Testbed", "name": "bed", "patch": patch}]}
    }


def _users(**arrivals: Any) -> dict[str, Any]:
    users = [{"operation": "a.x", **arrivals}]
    return {"services": {"services": [SERVICE], "users": users}, "horizon": "1m"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (_groups(price=1e300), "spec.nodeGroups[0].price: expected a number, from 0 to 1e+08, got 1e+300"),
        (_groups(pods=10**30), "spec.nodeGroups[0].pods: expected a whole number, 1 to"),
        (_groups(name="A_b"), "spec.nodeGroups[0].name: expected a name of lower case letters, digits"),
        (_groups(max=0), "spec.nodeGroups[0].max: expected a whole number, 1 to"),
        (_groups(boot="5 parsecs"), "spec.nodeGroups[0].boot: "),
        (_groups(cpu=0), "spec.nodeGroups[0].cpu: expected an amount above 0, got 0"),
        (_groups(memory="0"), "spec.nodeGroups[0].memory: expected an amount above 0, got '0'"),
        (_groups(taints=[MISSPELT]), "spec.nodeGroups[0].taints[0]: unknown field 'vlaue' (did you mean value?)"),
        (_pools(cpu=0), "spec.nodePools[0].instanceTypes[0].cpu: expected an amount above 0, got 0"),
        (_groups(labels=[]), "spec.nodeGroups[0].labels: expected a mapping, got []"),
        (_pools(price=1e300), "spec.nodePools[0].instanceTypes[0].price: expected a number, from 0 to 1e+08"),
        (_pools(pods=10**30), "spec.nodePools[0].instanceTypes[0].pods: expected a whole number, 1 to"),
        (_pools(zones=["5 parsecs"]), "spec.nodePools[0].instanceTypes[0].zones[0]: expected a name of letters"),
        (_pools(zones=[]), "spec.nodePools[0].instanceTypes[0].zones: expected a list with at least one item"),
        (_power(idle=-1), "spec.cluster.nodes[0].power.idle: expected a number, 0 or more, got -1"),
        (_power(full="bright"), "spec.cluster.nodes[0].power.full: expected a number, 0 or more, got 'bright'"),
        (_power(table=[1, 2]), "spec.cluster.nodes[0].power: "),
        ({**_power(), "powerSaving": {"offAfter": 0}}, "spec.powerSaving.offAfter: expected 1s or more"),
        ({**_power(), "powerSaving": {"spare": -1}}, "spec.powerSaving.spare: expected a whole number"),
        ({"execution": {"sharing": "often"}}, "spec.execution.sharing: expected true or false, got 'often'"),
        (_operator({**TESTBED, "metadata": "bed"}), "spec.operator.objects[0].metadata: expected a mapping, got 'bed'"),
        (_operator({**TESTBED, "metadata": {}}), "spec.operator.objects[0].metadata.name: expected a text, got None"),
        (
            _operator({**TESTBED, "metadata": {"name": 5}}),
            "spec.operator.objects[0].metadata.name: expected a text, got 5",
        ),
        (_operator({**TESTBED, "kind": "Bed"}), "spec.operator.objects[0]: expected a BatchJob, Testbed, Slot or"),
        (_operator(), "spec.operator.changes[0].name: there is no Scheduling default/queue"),
        (_operator(kind="Testbed", name="bde"), "spec.operator.changes[0].name: there is no Testbed default/bde"),
        (_operator(kind="Node", name="n9"), "spec.operator.changes[0].name: there is no Node n9"),
        (_patched({"spec": {"slotsPerNode": "x"}}), "spec.operator.changes[0].patch: Testbed.esi.tu-berlin.de"),
        (_patched({"metadata": {"name": "x"}}), "spec.operator.changes[0].patch: its kind, name and namespace cannot"),
        (
            _operator({**TESTBED, "metadata": LATE}, kind="Testbed", name="bed"),
            "spec.operator.changes[0].at: bed is created only at 1m",
        ),
        (_operator(kind="Schedulnig"), "spec.operator.changes[0].kind: expected one of BatchJob, Scheduling, Testbed,"),
        (_users(poisson=1e300), "spec.services.users[0].poisson: expected a rate from 0 to 1e9, got 1e+300"),
        (
            _users(diurnal={"average": 1, "period": 0}),
            "spec.services.users[0].diurnal.period: expected a period above 0",
        ),
        (_users(steps=[[0, 1e300]]), "spec.services.users[0].steps[0][1]: expected a rate from 0 to 1e9"),
        (_users(closed={"users": 10**30, "think": 1}), "spec.services.users[0].closed.users: expected a whole number"),
        (_users(), "spec.services.users[0]: expected exactly one of poisson, steps, diurnal, recorded, closed"),
    ],
)
def test_a_bad_section(wavetank: Wavetank, here: Path, spec: dict[str, Any], message: str) -> None:
    ended = wavetank("run", an_experiment(here, **spec))
    (line,) = ended.err.splitlines()
    assert line.startswith(f"e.yaml: {message}")
    assert (ended.status, ended.out, names_in(here)) == (2, "", ["e.yaml"])


@pytest.mark.parametrize(
    "words",
    [
        ("operator", "simulate", "e.yaml", "--seed", "-1"),
        ("misim", "a.json", "e.json", "--seed", "-1"),
        ("decide", "--scheduler", "easy", "--connect-timeout", "0"),
        ("batsim", "-p", "p.xml", "--connect-timeout", "-1"),
    ],
)
def test_a_bad_option(wavetank: Wavetank, here: Path, words: tuple[str, ...]) -> None:
    ended = wavetank(*words)
    (line,) = ended.err.splitlines()
    assert words[-2] in line
    assert (ended.status, ended.out, names_in(here)) == (2, "", [])


@pytest.mark.parametrize(
    ("resources", "message"),
    [("0 900", "there is no machine 900: the platform has 4"), ("some", "resources: ")],
)
def test_a_batsim_event_of_unknown_machines(wavetank: Wavetank, here: Path, resources: str, message: str) -> None:
    event = {"type": "machine_unavailable", "timestamp": 1, "resources": resources}
    (here / "events.txt").write_text(json.dumps(event))
    inputs = ("-p", EXAMPLE / "platform.xml", "-w", EXAMPLE / "workload.json", "--events", "events.txt")
    ended = wavetank("batsim", *inputs, "--connect-timeout", "1")
    (line,) = ended.err.splitlines()
    assert line.startswith(f"events.txt: {message}")
    assert (ended.status, ended.out, names_in(here)) == (2, "", ["events.txt"])
