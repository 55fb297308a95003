from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.trials import HEAD, a_document, parsed
from wavetank.cluster.releases import NEWEST
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import read_experiment
from wavetank.experiments.document.structures.values import parse_seeds, parse_version
from wavetank.kernel.durations import SECOND
from wavetank.nodes.faults import Fault

SECOND_SCHEDULER = {"name": "packer", "policy": "best-fit", "schedulerName": "packer"}


def test_what_is_not_said() -> None:
    experiment = parsed()
    assert experiment.name == "trial"
    assert [entry.name for entry in experiment.schedulers] == ["default"]
    assert experiment.seeds == (1,)
    assert experiment.latency.name == "ideal"
    assert experiment.version == NEWEST
    assert experiment.ties == "random"
    assert experiment.faults == ()
    assert experiment.horizon is None


def test_files_lie_beside_the_document(tmp_path: Path) -> None:
    (tmp_path / "nodes.yaml").write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}}"
    )
    (tmp_path / "e.json").write_text(json.dumps(a_document(cluster={"file": "nodes.yaml"})))
    assert read_experiment(tmp_path / "e.json").cluster.sources == ("nodes.yaml",)


def test_changes_replace_fields_of_the_spec(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(json.dumps(a_document(seeds=[1, 2], ties="exact", schedulers=[{"name": "random-fit"}])))
    experiment = read_experiment(path, {"seeds": "7-9", "schedulers": [{"name": "best-fit"}], "horizon": "1m"})
    assert experiment.seeds == (7, 8, 9)
    assert [entry.name for entry in experiment.schedulers] == ["best-fit"]
    assert experiment.horizon == 60 * SECOND
    assert experiment.ties == "exact"


def test_a_document_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    path = tmp_path / "späte Pods.json"
    path.write_text(json.dumps({**a_document(), "metadata": {}}))
    assert read_experiment(path).name == "sp-te-Pods"


@pytest.mark.parametrize(
    ("value", "seeds"),
    [
        (5, (5,)),
        (0, (0,)),
        ([3, 1, 2], (3, 1, 2)),
        ("1-5", (1, 2, 3, 4, 5)),
        ("7", (7,)),
        ("1, 4-5,2", (1, 4, 5, 2)),
    ],
)
def test_seeds(value: object, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(value, "seeds") == seeds


def test_a_great_many_seeds_are_read_at_once() -> None:
    assert len(parse_seeds("0-99999", "seeds")) == 100_000


@pytest.mark.parametrize("value", [True, 1.5, None, {}, [True], [1.0], "1-", "-1", "a", "", "1,,2", "1" * 19])
def test_no_seeds(value: object) -> None:
    with pytest.raises(InputError, match=r"^seeds"):
        parse_seeds(value, "seeds")


@pytest.mark.parametrize("value", ["1.35", "v1.35", "1.35.8", 1.35])
def test_releases(value: object) -> None:
    assert parse_version(value, "version") == (1, 35)


@pytest.mark.parametrize("value", ["1.3", "2.0", "1", "newest", 1, None, True, "1.35.x"])
def test_no_releases(value: object) -> None:
    with pytest.raises(InputError, match="version: expected a release from"):
        parse_version(value, "version")


def test_a_latency_model_of_ones_own() -> None:
    latency = parsed(latency={"bind": 0.5, "start": {"uniform": [1, 3]}, "bandwidth": "10Mi"}).latency
    assert latency.name == "custom"
    assert latency.scheduler.bind.mean() == 0.5
    assert latency.scheduler.attempt.mean() == 0
    assert latency.nodes.start.mean() == 2
    assert latency.nodes.bandwidth == 10 << 20


def test_a_latency_model_by_name() -> None:
    assert parsed(latency="k3s").latency.name == "k3s"


@pytest.mark.parametrize(
    ("latency", "message"),
    [
        ({"strat": 1}, "spec.latency: unknown field 'strat'"),
        ({"bandwidth": 0}, "spec.latency.bandwidth: expected more than 0 bytes"),
        (7, "spec.latency: expected a preset"),
    ],
)
def test_no_latency_model(latency: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parsed(latency=latency)


def test_faults_are_sorted_and_undone() -> None:
    faults = [{"at": "1m", "fail": ["node-0", "node-1"], "for": 30}, {"at": 5, "cordon": "node-1"}]
    assert parsed(faults=faults).faults == (
        Fault(5 * SECOND, "cordon", "node-1"),
        Fault(60 * SECOND, "fail", "node-0"),
        Fault(60 * SECOND, "fail", "node-1"),
        Fault(90 * SECOND, "recover", "node-0"),
        Fault(90 * SECOND, "recover", "node-1"),
    )


def test_schedulers_side_by_side() -> None:
    (entry,) = parsed(schedulers=[{"name": "both", "together": [{"name": "default"}, SECOND_SCHEDULER]}]).schedulers
    assert entry.name == "both"
    names = [scheduler.configuration.profiles[0].scheduler_name for scheduler in entry.schedulers]
    assert names == ["default-scheduler", "packer"]
    assert " + " in entry.description


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], r"together: expected a list"),
        ([{"name": "default"}, {"name": "random-fit"}], r"together\[1\]: a second scheduler for schedulerName"),
        ([{"name": "default"}, {"name": "default", "schedulerName": "b"}], r"together\[1\].name: a second scheduler"),
        ([{"name": "nope"}], r"together\[0\].name: there is no scheduler"),
        ([{"name": "a", "together": []}], r"together\[0\]: unknown field 'together'"),
    ],
)
def test_no_schedulers_side_by_side(parts: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parsed(schedulers=[{"name": "both", "together": parts}])


def test_what_goes_to_the_parts() -> None:
    with pytest.raises(InputError, match="args does not go with together: give it to one of its parts"):
        parsed(schedulers=[{"name": "both", "together": [{"name": "default"}], "args": {}}])


def test_a_configuration_inside_the_document() -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "a"}, {"schedulerName": "b"}],
    }
    (entry,) = parsed(schedulers=[{"name": "two", "config": config}]).schedulers
    assert [profile.scheduler_name for profile in entry.schedulers[0].configuration.profiles] == ["a", "b"]
    with pytest.raises(InputError, match="a configuration with several profiles has names of its own"):
        parsed(schedulers=[{"name": "two", "config": config, "schedulerName": "c"}])


def test_policies_of_one_name_in_two_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    described = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ours.py").write_text(
            f'class Ours:\n    "Policy {name}."\n    def score(self, pod, node): return 1\n'
        )
        entry = {"name": "x", "python": "ours:Ours"}
        described.append(parsed(folder, schedulers=[entry]).schedulers[0].description)
    assert described == ["Policy one", "Policy other"]


@pytest.mark.parametrize("document", [None, [], "x", {}, {**HEAD}, {**HEAD, "kind": "Pod"}, {**HEAD, "spec": []}])
def test_no_experiments(document: object, tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"e\.json: "):
        read_experiment(path)
