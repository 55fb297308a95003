from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import lives_of
from tests.workloads.inputs import a_file, a_manifest, arrivals_of
from wavetank.errors import InputError
from wavetank.workloads.formats.simkube import SimkubeWorkload, is_simkube
from wavetank.workloads.inputfile import InputFile

CONTAINERS = {"containers": [{"name": "c"}], "restartPolicy": "Always"}
POD = a_manifest(name="p", spec=CONTAINERS)


def a_deployment(replicas: int, image: str = "a") -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "c", "image": image}], "restartPolicy": "Always"}}
    return {
        **a_manifest("Deployment", "web", spec={"replicas": replicas, "template": template}),
        "apiVersion": "apps/v1",
    }


def an_event(second: int, *applied: Any, deleted: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"ts": 1_700_000_000 + second, "applied_objs": list(applied), "deleted_objs": list(deleted)}


def a_trace(*events: Any, **fields: Any) -> InputFile:
    return a_file({"version": 2, "config": {}, "events": list(events), "index": {}, "pod_lifecycles": {}, **fields})


def packed(path: Path, *events: Any, lives: dict[Any, Any]) -> InputFile:
    document = {"version": 2, "config": {}, "events": list(events), "index": {}, "pod_lifecycles": lives}
    path.write_bytes(msgspec.msgpack.encode(document))
    return InputFile.read(path)


def test_times_count_from_the_first_event() -> None:
    assert lives_of(SimkubeWorkload(a_trace(an_event(5), an_event(8, POD)))) == [("p", 3, None)]


def test_replicas_come_and_the_newest_go() -> None:
    workload = SimkubeWorkload(
        a_trace(an_event(0, a_deployment(1)), an_event(10, a_deployment(3)), an_event(30, a_deployment(2)))
    )
    assert lives_of(workload) == [("web-0", 0, None), ("web-1", 10, None), ("web-2", 10, 20)]
    assert [arrival.pod.spec.restart_policy for arrival in arrivals_of(workload)] == ["Always", "Always", "Never"]


def test_another_template_replaces_all() -> None:
    workload = SimkubeWorkload(a_trace(an_event(0, a_deployment(1)), an_event(10, a_deployment(1, "b"))))
    assert lives_of(workload) == [("web-0", 0, 10), ("web-1", 10, None)]


def test_a_deleted_object_ends_its_pods_and_may_come_again() -> None:
    gone = an_event(7, deleted=(a_deployment(1),))
    workload = SimkubeWorkload(a_trace(an_event(0, a_deployment(1)), gone, an_event(9, a_deployment(1))))
    assert lives_of(workload) == [("web-0", 0, 7), ("web-1", 9, None)]


def test_what_is_deleted_from_before_the_trace_is_nothing() -> None:
    assert arrivals_of(SimkubeWorkload(a_trace(an_event(0, deleted=(a_deployment(1),))))) == []


def test_a_recorded_life_says_how_long_a_pod_runs(tmp_path: Path) -> None:
    lives = {("v1.Pod", "default/p"): {17: [{"Finished": [1_700_000_001, 1_700_000_013]}]}}
    file = packed(tmp_path / "t.sktrace", an_event(0, POD), lives=lives)
    assert is_simkube(file)
    assert lives_of(SimkubeWorkload(file)) == [("p", 0, 12)]


def test_a_cron_job_is_the_pods_that_were_recorded(tmp_path: Path) -> None:
    job = {"jobTemplate": {"spec": {"template": {"spec": {**CONTAINERS, "restartPolicy": "Never"}}}}}
    cron = {**a_manifest("CronJob", "tick", spec=job), "apiVersion": "batch/v1"}
    spans = [{"Finished": [1_700_000_060, 1_700_000_090]}, {"Running": 1_700_000_120}, "Empty"]
    file = packed(tmp_path / "t.sktrace", an_event(0, cron), lives={("batch/v1.CronJob", "default/tick"): {1: spans}})
    assert lives_of(SimkubeWorkload(file)) == [("tick-0", 60, 30), ("tick-1", 120, 60)]
    with pytest.raises(InputError, match="a CronJob whose pods the trace did not record"):
        SimkubeWorkload(a_trace(an_event(0, cron)))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        pytest.param(a_trace(an_event(0), version=1), "in.yaml: version: expected 2, got 1", id="another version"),
        pytest.param(a_trace(), "events: expected a list with at least one item", id="no events"),
        pytest.param(a_trace({"ts": "now"}), r"events\[0\].ts: expected a whole number", id="no time"),
        pytest.param(
            a_trace(an_event(0, {**POD, "kind": "DaemonSet", "apiVersion": "apps/v1"})),
            r"events\[0\].applied_objs\[0\].kind: a DaemonSet.apps cannot be submitted",
            id="a kind",
        ),
        pytest.param(a_trace(an_event(0, POD), pod_lifecycles={"p": {}}), "expected a pair such as", id="a life"),
    ],
)
def test_what_is_wrong_is_named(file: InputFile, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SimkubeWorkload(file)


def test_a_lenient_reading_goes_on_without_the_object() -> None:
    file = a_trace(an_event(0, {**POD, "kind": "DaemonSet", "apiVersion": "apps/v1"}, POD))
    file.lenient = True
    assert len(arrivals_of(SimkubeWorkload(file))) == file.skipped.total() == 1


def test_a_cut_off_trace_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.sktrace"
    path.write_bytes(shared_data("simkube/bare-pods.sktrace").read_bytes()[:2000])
    with pytest.raises(InputError, match=r"t\.sktrace: not valid MessagePack"):
        SimkubeWorkload(InputFile.read(path))


@pytest.mark.parametrize("name", ["dsb-scaling.sktrace", "large_trace.json", "trace.json", "validation_trace.json"])
def test_real_deployments_have_a_pod_for_each_replica_added(name: str) -> None:
    path = shared_data(f"simkube/{name}")
    data = path.read_bytes()
    document = msgspec.msgpack.decode(data) if path.suffix == ".sktrace" else json.loads(data)
    added, present = 0, defaultdict[str, int](int)
    for event in document["events"]:
        for item in event["applied_objs"]:
            key, size = item["metadata"]["name"], item["spec"].get("replicas", 1)
            added, present[key] = added + max(size - present[key], 0), size
    file = InputFile.read(path)
    assert is_simkube(file)
    assert len(arrivals_of(SimkubeWorkload(file))) == added


@pytest.mark.parametrize(("name", "pods"), [("bare-pods", 4), ("cronjob", 3)])
def test_real_pods_with_recorded_lives(name: str, pods: int) -> None:
    lives = lives_of(SimkubeWorkload(InputFile.read(shared_data(f"simkube/{name}.sktrace"))))
    assert len(lives) == pods
    assert all(duration is not None for _, _, duration in lives)
