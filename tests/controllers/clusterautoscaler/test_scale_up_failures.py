"""What happens if nodes do not come: time-outs, refusals, back-off, an unhealthy cluster."""

from __future__ import annotations

from tests.controllers.clusterautoscaler.scenarios import group, last_sizes, play, scale, sizes, told, workload
from wavetank.kernel.durations import SECOND
from wavetank.verification.clusterautoscaler.freerun import Observations

PRIORITIES = {"name": "cluster-autoscaler-priority-expander", "data": {"priorities": "9: [bad]\n1: [good]\n"}}


def scale_up_status(seen: Observations, name: str, second: float) -> str:
    status = [status for time, status in seen.statuses if time <= second * SECOND][-1]
    found = next(each for each in status["nodeGroups"] if each["name"].endswith(f"/{name}"))
    return str(found["scaleUp"]["status"])


def test_machines_that_never_boot_are_removed_and_another_group_grows() -> None:
    groups = [group("bad", initial=0, boot_ns=None), group("good", initial=0)]
    events = [(0.0, "configmap", PRIORITIES), scale(20, "web", 3)]
    flags = {"expander": "priority", "max-node-provision-time": "3m"}
    seen = play(groups, [workload()], events, flags, minutes=8)
    assert sizes(seen) == [(30, "bad", 1), (210, "bad", 0), (210, "good", 1)]
    text = "Nodes added to group MachineDeployment/default/bad failed to register within 3m0s"
    assert [event[2] for event in told(seen, "ScaleUpTimedOut")] == [text]
    assert len(told(seen, "DeleteUnregistered")) == 1
    assert scale_up_status(seen, "bad", 100) == "InProgress"
    assert scale_up_status(seen, "bad", 230) == "Backoff"


def test_a_refused_request_backs_the_group_off_for_five_minutes() -> None:
    fault = {"method": "PATCH", "path": "machinedeployments/g/scale", "code": 403, "for_ns": 60 * SECOND}
    seen = play([group()], [workload()], [(5.0, "fault", fault), scale(20, "web", 9)], minutes=8)
    assert (
        told(seen, "FailedToScaleUpGroup")[0][2] == "Scale-up failed for group MachineDeployment/default/g: Forbidden"
    )
    assert sizes(seen) == [(330, "g", 3)]
    assert scale_up_status(seen, "g", 100) == "Backoff"
    skipped = [loop.skipped for loop in seen.loops if 95e9 < loop.time < 105e9]
    assert skipped == [{"MachineDeployment/default/g": "in backoff after failed scale-up"}]


def test_a_machine_that_reports_a_failure_is_replaced_by_one_of_another_group() -> None:
    groups = [group("bad", initial=0), group("good", initial=0)]
    failure = {"name": "bad-001", "message": "no capacity"}
    events = [(0.0, "configmap", PRIORITIES), scale(20, "web", 3), (41.0, "machine.fail", failure)]
    seen = play(groups, [workload()], events, {"expander": "priority"}, minutes=5)
    assert last_sizes(seen) == {"bad": 0, "good": 1}
    assert told(seen, "ScaleUpFailed")[0][2].startswith("Failed adding 1 nodes to group MachineDeployment/default/bad")


def test_an_unhealthy_cluster_is_left_alone() -> None:
    broken = [(30.0, "node.ready", {"name": f"g-00{number}", "ready": False}) for number in (1, 2, 3)]
    flags = {"ok-total-unready-count": 1, "max-node-startup-time": "0s"}
    seen = play([group(initial=4)], [workload()], [*broken, scale(60, "web", 40)], flags, minutes=5)
    assert sizes(seen) == []
    assert [event[2] for event in told(seen, "ClusterUnhealthy")] == ["Cluster is unhealthy"]
    assert seen.statuses[-1][1]["clusterWide"]["health"]["status"] == "Unhealthy"
