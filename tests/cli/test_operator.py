"""`wavetank operator`, and bad `operator` sections of experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.commands import Wavetank, an_experiment

JOB = {
    "apiVersion": "esi.tu-berlin.de/v1alpha1",
    "kind": "BatchJob",
    "metadata": {"name": "a"},
    "spec": {"flinkSpec": {}},
}
BOTH = {
    "apiVersion": "esi.tu-berlin.de/v1alpha1",
    "kind": "Scheduling",
    "metadata": {"name": "q"},
    "spec": {"testbed": {"name": "t"}, "queueBased": [], "slotBased": {"jobs": []}},
}


def test_the_definitions_are_printed_without_a_cluster(wavetank: Wavetank) -> None:
    printed = list(yaml.safe_load_all(wavetank("operator", "install", "--print").out))
    assert [document["kind"] for document in printed] == ["CustomResourceDefinition"] * 6 + ["PriorityClass"] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["run", "--kubeconfig", "nowhere"], "nowhere: no such file", id="no kubeconfig"),
        pytest.param(["run", "--extender", "8090"], "expected HOST:PORT", id="no address"),
        pytest.param(["run", "--work", "long"], "expected a duration such as 90s", id="no work model"),
    ],
)
def test_bad_options_are_one_message(wavetank: Wavetank, words: list[str], message: str) -> None:
    ended = wavetank("operator", *words)
    assert ended.status == 2
    assert message in ended.err


def test_a_cluster_that_does_not_answer_is_one_message(wavetank: Wavetank, here: Path) -> None:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:1"}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "users": [{"name": "u", "user": {}}],
    }
    (here / "config").write_text(yaml.safe_dump(config))
    ended = wavetank("operator", "run", "--kubeconfig", "config", "--extender", "127.0.0.1:0")
    assert (ended.status, ended.out) == (2, "")
    assert "http://127.0.0.1:1 does not answer" in ended.err


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        pytest.param({}, "spec.operator: expected file, files or objects", id="nothing"),
        pytest.param({"objects": [BOTH]}, "spec.operator.objects[0]: ", id="a queue and slots"),
        pytest.param({"objects": [BOTH]}, "exactly one of queueBased and slotBased", id="which says why"),
        pytest.param({"objects": [{"kind": "Pod"}]}, "expected a BatchJob, Testbed, Slot or Scheduling", id="a pod"),
        pytest.param({"objects": [JOB], "work": "soon"}, "spec.operator.work: expected a duration", id="no work"),
        pytest.param(
            {"objects": [{**JOB, "metadata": {"name": "a", "annotations": {"wavetank.dev/work": "table"}}}]},
            "spec.operator.objects[0]: expected a duration such as 90s",
            id="no work of a job",
        ),
        pytest.param(
            {"objects": [{**JOB, "metadata": {"name": "a", "annotations": {"wavetank.dev/submit": "noon"}}}]},
            "spec.operator.objects[0]: wavetank.dev/submit: expected a duration",
            id="no time",
        ),
        pytest.param(
            {"objects": [JOB], "changes": [{"at": "1s", "kind": "Node", "name": "n"}]},
            "spec.operator.changes[0]: expected exactly one of patch, delete",
            id="a change without a change",
        ),
        pytest.param({"file": "none.yaml"}, "none.yaml: no such file", id="no file"),
    ],
)
def test_a_bad_operator_section_is_one_message(
    wavetank: Wavetank, here: Path, operator: dict[str, Any], message: str
) -> None:
    ended = wavetank("run", an_experiment(here, workload=None, operator=operator))
    assert ended.status == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_an_experiment_needs_a_workload_or_the_operator(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("run", an_experiment(here, workload=None))
    assert ended.status == 2
    assert "spec.workload: this field is required" in ended.err
