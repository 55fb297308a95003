"""Node groups and the autoscaler in experiments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.kernel.durations import SECOND
from wavetank.results.recording.energy import EnergyRecorder
from wavetank.simulation.simulation import Simulation

GROUP = {"name": "g", "min": 0, "max": 5, "initial": 1, "cpu": 4, "memory": "8Gi", "boot": "60s"}
HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}


def document(**spec: Any) -> dict[str, Any]:
    generator = {"kind": "poisson", "pods": 12, "rate": 100, "duration": 600, "requests": [{"cpu": 1, "memory": "1Gi"}]}
    given = {
        "cluster": {"nodes": [{"name": "control", "cpu": "100m", "memory": "1Gi"}]},
        "workload": {"generator": generator},
        "nodeGroups": [GROUP],
        "autoscaler": {"scale-down-unneeded-time": "2m", "scale-down-delay-after-add": "1m"},
        "horizon": "1h",
    }
    return {**HEAD, "spec": {**given, **spec}}


class NodeCounter:
    """Notes how many nodes there are at each change."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def join(self, context: Any) -> None:
        def note(*_: object) -> None:
            self.counts.append(len(context.store.objects("Node")))

        context.store.subscribe("Node", added=note, deleted=note)

    def attached(self, schedulers: object) -> None:
        """Does nothing."""

    def ended(self, time: int) -> None:
        """Does nothing."""


def test_a_group_grows_for_pending_pods_and_shrinks_when_they_are_done() -> None:
    experiment = parse_experiment(document(), Path())
    counter = NodeCounter()
    Simulation(experiment.setting(experiment.schedulers[0]), 1, [counter]).run()
    assert (
        max(counter.counts) == 1 + 4
    )  # the fixed node; three pods fit beside what a template reserves, four on a node
    assert counter.counts[-1] == 1


def test_the_energy_of_a_group_is_that_of_its_nodes_while_they_exist() -> None:
    group = {**GROUP, "power": {"idle": 100, "full": 100}}
    experiment = parse_experiment(document(nodeGroups=[group]), Path())
    setting = experiment.setting(experiment.schedulers[0])
    energy = EnergyRecorder()
    Simulation(setting, 1, [energy]).run()
    assert setting.has_power
    assert {name.rpartition("-")[0] for name in energy.nodes} == {"g"}
    watts = 0.0
    for _, more, _ in energy.changes:
        watts += more
    assert (len(energy.nodes), watts) == (4, 0)  # all of them are gone in the end
    joules, start = 0.0, 0
    for time, more, _ in energy.changes:
        joules, start, watts = joules + watts * (time - start) / SECOND, time, watts + more
    assert sum(node.joules for node in energy.nodes.values()) == pytest.approx(joules)


def test_groups_with_power_are_not_switched_off_besides() -> None:
    cluster = {"nodes": [{"name": "control", "cpu": 1, "memory": "1Gi", "power": {"idle": 1, "full": 2}}]}
    groups = [{**GROUP, "power": {"idle": 100, "full": 200}}]
    with pytest.raises(InputError, match=r"spec.powerSaving: nodes of groups with power are added and removed"):
        parse_experiment(document(cluster=cluster, nodeGroups=groups, powerSaving={"offAfter": "1m"}), Path())


def agent(cpu: str, **spec: Any) -> dict[str, Any]:
    """Returns a cluster with a DaemonSet."""
    container = {"name": "agent", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
    template = {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [container], **spec}}
    daemon_set = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent"},
        "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template},
    }
    return {"nodes": [{"name": "control", "cpu": "100m", "memory": "1Gi"}], "objects": [daemon_set]}


@pytest.mark.parametrize(
    "cluster",
    [
        pytest.param(agent("4"), id="they fill the node"),
        pytest.param(agent("9", nodeSelector={"disk": "fast"}), id="they do not run there"),
    ],
)
def test_groups_whose_nodes_hold_their_daemon_sets_are_taken(cluster: dict[str, Any]) -> None:
    parse_experiment(document(cluster=cluster), Path())


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        pytest.param(
            {"cluster": agent("4100m")},
            "[0].cpu",
            "the DaemonSets of a node need 4100m cpu: agent",
            id="a node that cannot hold its DaemonSets",
        ),
        pytest.param({"nodeGroups": [{**GROUP, "min": 5}]}, "[0].max", "min 5 must be below max 5", id="no room"),
        pytest.param({"nodeGroups": [{**GROUP, "min": 6}]}, "[0].max", "min 6 must be below max 5", id="min above max"),
        pytest.param({"nodeGroups": [{**GROUP, "min": -1}]}, "[0].min", "got -1", id="a negative minimum"),
        pytest.param({"nodeGroups": [{**GROUP, "max": 0}]}, "[0].max", "got 0", id="no nodes at all"),
        pytest.param(
            {"nodeGroups": [{**GROUP, "initial": 9}]},
            "[0].initial",
            "not between min 0 and max 5",
            id="too many at first",
        ),
        pytest.param(
            {"nodeGroups": [{**GROUP, "min": 2}]}, "[0].initial", "not between min 2 and max 5", id="too few at first"
        ),
        pytest.param({"nodeGroups": [{**GROUP, "initial": -1}]}, "[0].initial", "got -1", id="negative at first"),
        pytest.param({"nodeGroups": [GROUP, GROUP]}, "[1].name", "a second group", id="two groups of one name"),
        pytest.param({"autoscaler": {"expander": "best"}}, "r.expander", "unknown expander", id="an unknown expander"),
        pytest.param({"autoscaler": {"gpu-total": "1"}}, "r.gpu-total", "not honoured", id="a flag not honoured"),
        pytest.param({"autoscaler": {"max-nodes-total": -3}}, "r.max-nodes-total", "0 or more", id="a negative limit"),
        pytest.param({"horizon": None}, "spec.horizon", "needs an end", id="a run without an end"),
    ],
)
def test_impossible_documents_are_refused_with_their_path(changes: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse_experiment(document(**changes), Path())
    assert str(caught.value.path).endswith(path)


def test_a_group_begins_with_its_minimum_by_default() -> None:
    group = {key: value for key, value in GROUP.items() if key != "initial"}
    experiment = parse_experiment(document(nodeGroups=[{**group, "min": 2}]), Path())
    assert [each.initial for each in experiment.setting(experiment.schedulers[0]).node_groups] == [2]
