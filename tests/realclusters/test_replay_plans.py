"""What a replay creates, and its journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import load_experiment
from wavetank.kernel.durations import SECOND
from wavetank.nodes.commands import command_of
from wavetank.realclusters.replay.journal import Change, Header, Journal
from wavetank.realclusters.replay.manifests import Style, command_for
from wavetank.realclusters.replay.plan import make_plan

STYLE = Style("mine", "space", "busybox", 2.0)
HEADER = Header("mine", "digest", "https://server", "space", 2.0, 1, 0)


@pytest.mark.parametrize(
    ("behavior", "command"),
    [
        pytest.param(PodBehavior(10 * SECOND), ["sleep", "5"], id="half as long at twice the speed"),
        pytest.param(PodBehavior(SECOND // 4), ["sleep", "0.125"], id="a part of a second"),
        pytest.param(PodBehavior(None), ["sleep", "infinity"], id="for ever"),
        pytest.param(None, ["sleep", "infinity"], id="nothing is known"),
        pytest.param(PodBehavior(SECOND, 3), ["sh", "-c", "sleep 0.5; exit 3"], id="an exit code"),
        pytest.param(PodBehavior(0, flops=4e9), ["sleep", "2"], id="work, at the speed of a usual core"),
    ],
)
def test_a_container_sleeps_as_long_as_the_pod_runs(behavior: PodBehavior | None, command: list[str]) -> None:
    assert command_for(behavior, 2.0) == command
    run = command_of({"command": command})  # simulated nodes read the same of it
    assert run.exit_code == (behavior.exit_code if behavior else 0)


def experiment_of(objects: list[dict[str, object]], folder: Path) -> Path:
    import yaml

    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    return folder / "objects.yaml"


def plan_of(folder: Path, *objects: dict[str, object]) -> list[dict[str, object]]:
    spec = {"cluster": {"nodes": [{"count": 1, "cpu": 4, "memory": "8Gi"}]}, "schedulers": [{"name": "default"}]}
    file = str(experiment_of(list(objects), folder))
    experiment = load_experiment(None, {**spec, "workload": {"file": file}})
    plan = make_plan(experiment, 1, STYLE)
    return [each.document for each in (*plan.creations,)] + list(plan.priority_classes)


def a_pod(name: str, namespace: str = "default", **spec: object) -> dict[str, object]:
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": "1"}}}
    metadata = {"name": name, "namespace": namespace, "annotations": {"wavetank.dev/duration": "4s", "kept": "yes"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def test_a_pod_keeps_what_concerns_scheduling_and_nothing_that_would_fail(tmp_path: Path) -> None:
    (pod,) = plan_of(tmp_path, a_pod("a", nodeSelector={"zone": "a"}, volumes=[{"name": "v", "emptyDir": {}}]))
    assert pod["metadata"] == {
        "name": "a",
        "namespace": "space",
        "labels": {"wavetank.dev/replay": "mine"},
        "annotations": {"kept": "yes"},
    }
    spec = pod["spec"]
    assert isinstance(spec, dict)
    assert spec["nodeSelector"] == {"zone": "a"}
    assert "volumes" not in spec
    assert spec["containers"] == [
        {"name": "c", "image": "busybox", "command": ["sleep", "2"], "resources": {"requests": {"cpu": "1"}}}
    ]


def test_pods_of_several_namespaces_get_names_of_their_own(tmp_path: Path) -> None:
    pods = plan_of(tmp_path, a_pod("a"), a_pod("a", "other"), a_pod("other-a"))
    assert [pod["metadata"]["name"] for pod in pods] == ["a", "other-a", "other-a-2"]  # type: ignore[index]


def test_a_priority_without_a_class_gets_one(tmp_path: Path) -> None:
    pod, needed = plan_of(tmp_path, a_pod("a", priority=7))
    assert pod["spec"]["priorityClassName"] == needed["metadata"]["name"] == "wavetank-replay-7"  # type: ignore[index]
    assert needed["value"] == 7


def test_a_journal_goes_on_after_a_line_that_was_half_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.begin(HEADER)
    first = Change(5, "Pod", "MODIFIED", {"metadata": {"name": "a"}})
    journal.note(first)
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"time":6,"ki')
    assert journal.resume(HEADER) == (HEADER, [first])
    journal.note(first)
    journal.close()
    again = Journal(journal.path)
    assert again.resume(HEADER)[1] == [first, first]
    again.close()


def test_a_journal_of_another_replay_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.begin(HEADER)
    journal.close()
    with pytest.raises(InputError, match=r"is the journal of speed 2\.0, not 3\.0"):
        journal.resume(Header("mine", "digest", "https://server", "space", 3.0, 1, 0))
    with pytest.raises(InputError, match="there is no replay to resume"):
        Journal(tmp_path / "none").resume(HEADER)
