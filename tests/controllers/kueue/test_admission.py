"""The built-in Kueue: quota, borrowing, preemption, flavors, checks and stopped queues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.kueue.placed import HOSTNAME, a_topology
from tests.controllers.kueue.scenarios import Change, Scenario, random_run, run_builtin
from tests.support.kueue import API, a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class
from wavetank.cluster.objects.groupkinds import LOCAL_QUEUE
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.testing.queues import QueueHistory

Manifest = dict[str, Any]
RECLAIM = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
NEVER = {"reclaimWithinCohort": "Never"}


def teams(*names: str, quota: Any = 8, **spec: Any) -> list[Manifest]:
    """Returns ClusterQueues in a cohort, each with a LocalQueue of its name, and two priority classes."""
    queues = [a_cluster_queue(name, {"x": {"cpu": quota}}, cohortName="all", **spec) for name in names]
    locals_ = [a_local_queue(name, name) for name in names]
    return [a_flavor("x"), *queues, *locals_, a_priority_class("low", 0), a_priority_class("high", 10)]


def a_queue(**spec: Any) -> list[Manifest]:
    """Returns a ClusterQueue q of 4 CPUs without a cohort."""
    return [a_flavor("x"), a_cluster_queue("q", {"x": {"cpu": 4}}, **spec), a_local_queue("q", "q"), *CLASSES]


CLASSES = [a_priority_class("low", 0), a_priority_class("high", 10)]


def times(history: QueueHistory, what: str = "Admitted", digits: int = 2) -> list[tuple[str, float]]:
    return [(each.workload.removeprefix("default/"), round(each.at / SECOND, digits)) for each in history.of(what)]


def job(
    name: str, queue: str, at_s: float, cpu: int, priority: str = "low", for_s: float = 60, **more: Any
) -> Manifest:
    return a_job(name, queue, at_s, for_s, {"cpu": str(cpu)}, priority=priority, **more)


def test_a_job_waits_until_there_is_quota() -> None:
    jobs = [job(f"j{i}", "q", 10 * i, 1, pods=2) for i in range(4)]
    # a Job ends a second after its last pod
    assert times(run_builtin(a_queue(), jobs)) == [("j0", 0), ("j1", 10), ("j2", 61), ("j3", 71)]


def test_the_first_job_without_a_priority_class_waits_for_them_to_be_read() -> None:
    jobs = [job("j0", "q", 5, 1, priority=""), job("j1", "q", 6, 1, priority="")]
    assert times(run_builtin(a_queue(), jobs)) == [("j0", 5.1), ("j1", 6)]


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        pytest.param("BestEffortFIFO", ["big", "small", "wide"], id="a job that fits overtakes"),
        pytest.param("StrictFIFO", ["big", "wide", "small"], id="no job overtakes"),
    ],
)
def test_the_queueing_strategy_says_whether_jobs_overtake(strategy: str, order: list[str]) -> None:
    jobs = [job("big", "q", 0, 3), job("wide", "q", 5, 4), job("small", "q", 10, 1)]
    history = run_builtin(a_queue(queueingStrategy=strategy), jobs)
    assert [name for name, _ in times(history)] == order


def test_a_higher_priority_goes_first() -> None:
    jobs = [job("j0", "q", 0, 4), job("low", "q", 5, 4), job("high", "q", 10, 4, "high")]
    assert [name for name, _ in times(run_builtin(a_queue(), jobs))] == ["j0", "high", "low"]


@pytest.mark.parametrize(
    ("quota", "admitted"),
    [
        pytest.param({"nominalQuota": 8}, 4, id="all that others do not use"),
        pytest.param({"nominalQuota": 8, "borrowingLimit": 4}, 3, id="up to the borrowing limit"),
        pytest.param({"nominalQuota": 8, "lendingLimit": 0}, 2, id="nothing if nothing is lent"),
    ],
)
def test_a_queue_borrows_in_its_cohort(quota: Any, admitted: int) -> None:
    jobs = [job(f"j{i}", "a", i, 4) for i in range(5)]
    history = run_builtin(teams("a", "b", quota=quota), jobs)
    assert len([at for _, at in times(history) if at < 30]) == admitted


def test_what_was_borrowed_is_reclaimed_by_preemption() -> None:
    borrowers = [job(f"b{i}", "b", i, 4, for_s=600) for i in range(4)]
    history = run_builtin(teams("a", "b", preemption=RECLAIM), [*borrowers, job("a0", "a", 60, 8)])
    assert [(name, at) for name, at in times(history, "Preempted")] == [("b3", 60), ("b2", 60)]
    assert {each.reason for each in history.of("Preempted")} == {"InCohortReclamation"}
    # the loop tries once more before the evicted Jobs have stopped, then pauses for a millisecond
    assert dict(times(history, digits=3))["a0"] == 60.001
    assert len(history.of("Finished")) == 5


def test_without_reclaim_the_owner_of_the_quota_waits() -> None:
    borrowers = [job(f"b{i}", "b", i, 4, for_s=600) for i in range(4)]
    history = run_builtin(teams("a", "b", preemption=NEVER), [*borrowers, job("a0", "a", 60, 8)])
    assert not history.of("Preempted")
    assert dict(times(history))["a0"] > 600


def test_a_higher_priority_preempts_within_its_queue() -> None:
    jobs = [job("low", "q", 0, 4, for_s=600), job("high", "q", 60, 4, "high")]
    history = run_builtin(a_queue(preemption={"withinClusterQueue": "LowerPriority"}), jobs)
    assert [(each.workload, each.reason) for each in history.of("Preempted")] == [("default/low", "InClusterQueue")]
    assert [name for name, _ in times(history)] == ["low", "high", "low"]


def test_fair_sharing_preempts_nothing_in_a_queue_without_cohort_if_that_is_not_enough() -> None:
    jobs = [job("big", "q", 0, 3, "high"), job("small", "q", 5, 1), job("next", "q", 10, 3, "high")]
    history = run_builtin(a_queue(preemption=RECLAIM), jobs, {"fairSharing": {}})
    assert history.of("Preempted") == []
    assert times(history, digits=0) == [("big", 0), ("small", 5), ("next", 61)]


def test_fair_sharing_takes_from_the_queue_that_borrows_most() -> None:
    queues = teams("a", "b", "c", quota=4, preemption={"reclaimWithinCohort": "Any"})
    jobs = [*(job(f"a{i}", "a", i, 2, for_s=900) for i in range(6)), *(job(f"b{i}", "b", 60 + i, 2) for i in range(3))]
    fair = run_builtin(queues, jobs, {"fairSharing": {}})
    plain = run_builtin(queues, jobs)
    # a has borrowed 8 CPUs: fairly b gets its own 4, and 2 of c's
    assert [each.reason for each in fair.of("Preempted")] == ["InCohortFairSharing"] * 3
    assert [each.reason for each in plain.of("Preempted")] == ["InCohortReclamation"] * 2


def two_flavors(**spec: Any) -> list[Manifest]:
    quotas = {"x": {"cpu": 4}, "y": {"cpu": 4}}
    flavors = [a_flavor(name, nodeLabels={"pool": name}) for name in ("x", "y")]
    return [*flavors, a_cluster_queue("q", quotas, **spec), a_local_queue("q", "q"), *CLASSES]


def flavors_of(history: QueueHistory) -> dict[str, str]:
    return {each.workload.removeprefix("default/"): each.flavors[0][2] for each in history.of("Admitted")}


def test_the_next_flavor_is_taken_when_the_first_is_used_up() -> None:
    jobs = [job(f"j{i}", "q", i, 2) for i in range(3)]
    assert flavors_of(run_builtin(two_flavors(), jobs)) == {"j0": "x", "j1": "x", "j2": "y"}


def test_a_job_gets_a_flavor_that_its_node_selector_and_tolerations_allow() -> None:
    tainted = a_flavor("x", nodeTaints=[{"key": "spot", "value": "true", "effect": "NoSchedule"}])
    queues = [tainted, *two_flavors()[1:]]
    tolerant, plain, chosen = (job(name, "q", i, 1) for i, name in enumerate(("tolerant", "plain", "chosen")))
    tolerant["spec"]["template"]["spec"]["tolerations"] = [{"key": "spot", "operator": "Exists"}]
    chosen["spec"]["template"]["spec"]["nodeSelector"] = {"pool": "y"}
    found = flavors_of(run_builtin(queues, [tolerant, plain, chosen]))
    assert found == {"tolerant": "x", "plain": "y", "chosen": "y"}


def test_fewer_pods_are_admitted_if_a_job_allows_it() -> None:
    wide = job("wide", "q", 5, 1, pods=6)
    wide["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = "2"
    history = run_builtin(a_queue(), [job("first", "q", 0, 1, for_s=300), wide])
    assert dict(times(history))["wide"] == 5


def test_quota_of_finished_pods_is_free_before_the_job_has_ended() -> None:
    slow = a_job("slow", "q", 0, 60, {"cpu": "2"}, pods=2, priority="low", completions=3)  # its last pod runs alone
    history = run_builtin(a_queue(), [slow, job("next", "q", 5, 2)])
    assert dict(times(history))["next"] == 61


def test_quota_of_a_cohort_above_is_borrowed() -> None:
    flavors = [{"name": "x", "resources": [{"name": "cpu", "nominalQuota": 4}]}]
    root = {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}]}
    cohorts = [
        {"apiVersion": API, "kind": "Cohort", "metadata": {"name": "root"}, "spec": root},
        {"apiVersion": API, "kind": "Cohort", "metadata": {"name": "all"}, "spec": {"parentName": "root"}},
    ]
    history = run_builtin([*teams("a", quota=2), *cohorts], [job("j", "a", 0, 6)])
    assert times(history) == [("j", 0)]


def test_a_check_delays_admission_after_the_quota_is_reserved() -> None:
    check = {
        "apiVersion": API,
        "kind": "AdmissionCheck",
        "metadata": {"name": "budget", "annotations": {"wavetank.dev/check-delay": "30s"}},
        "spec": {"controllerName": "wavetank.dev/simulated"},
    }
    strategy = {"admissionChecks": [{"name": "budget"}]}
    history = run_builtin([check, *a_queue(admissionChecksStrategy=strategy)], [job("j", "q", 10, 1)])
    assert times(history, "QuotaReserved") == [("j", 10)]
    assert times(history) == [("j", 40)]


def test_a_rejected_workload_is_deactivated() -> None:
    notes = {"wavetank.dev/check-delay": "30s", "wavetank.dev/check-answer": "Rejected"}
    check = {
        "apiVersion": API,
        "kind": "AdmissionCheck",
        "metadata": {"name": "budget", "annotations": notes},
        "spec": {"controllerName": "wavetank.dev/simulated"},
    }
    strategy = {"admissionChecks": [{"name": "budget"}]}
    history = run_builtin([check, *a_queue(admissionChecksStrategy=strategy)], [job("j", "q", 10, 1)])
    assert [each.reason for each in history.of("Evicted")] == ["DeactivatedDueToAdmissionCheck"]
    assert not history.of("Admitted")


def test_a_queue_that_is_stopped_takes_back_quota_that_waits_for_a_check() -> None:
    notes = {"wavetank.dev/check-delay": "30s"}
    spec = {"controllerName": "wavetank.dev/simulated"}
    head = {"apiVersion": API, "kind": "AdmissionCheck"}
    check = {**head, "metadata": {"name": "budget", "annotations": notes}, "spec": spec}
    strategy = {"admissionChecks": [{"name": "budget"}]}
    changes = [Change(20, LOCAL_QUEUE, "q", "Hold"), Change(50, LOCAL_QUEUE, "q", "None")]
    queues = [check, *a_queue(admissionChecksStrategy=strategy)]
    history = Scenario(queues, [job("j", "q", 10, 1)], changes=changes, workloads=1).run_builtin()
    assert times(history, "QuotaReserved") == [("j", 10), ("j", 50)]
    assert times(history) == [("j", 80)]


@pytest.mark.parametrize("policy", ["Hold", "HoldAndDrain"])
def test_a_stopped_queue_admits_nothing(policy: str) -> None:
    assert not run_builtin(a_queue(stopPolicy=policy), [job("j", "q", 0, 1)]).of("QuotaReserved")


def test_a_job_without_a_queue_is_of_the_default_one_of_its_namespace() -> None:
    jobs = [job(f"j{i}", "", 10 * i, 3) for i in range(2)]
    for each in jobs:
        del each["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
        del each["spec"]["suspend"]
    history = run_builtin([*a_queue(), a_local_queue("default", "q")], jobs)
    assert times(history) == [("j0", 0), ("j1", 61)]
    assert not run_builtin(a_queue(), jobs).decisions


def a_pod(name: str, cpu: int, at_s: int, **labels: str) -> Manifest:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}
    annotations = {"wavetank.dev/arrival": f"{at_s}s", "wavetank.dev/duration": "60s"}
    metadata = {"name": name, "namespace": "default", "annotations": annotations}
    metadata["labels"] = {"kueue.x-k8s.io/queue-name": "q", **labels}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


def test_a_pod_waits_for_quota() -> None:
    history = run_builtin(a_queue(), [a_pod(f"p{i}", 3, 10 * i) for i in range(2)])
    assert times(history) == [("p0", 0.1), ("p1", 60.1)]  # priority classes are read for the first one
    assert times(history, "Finished") == [("p0", 60.1), ("p1", 120.1)]


def test_a_group_of_pods_is_admitted_as_a_whole() -> None:
    pods = [a_pod(f"p{i}", 1, 10 * i, **{"kueue.x-k8s.io/pod-group-name": "gang"}) for i in range(3)]
    for pod in pods:
        pod["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = "3"
    history = run_builtin(a_queue(), pods)
    assert [at for _, at in times(history)] == [20.1]
    assert [at for _, at in times(history, "Finished")] == [80.1]


def test_an_evicted_pod_takes_its_workload_with_it() -> None:
    pods = [a_pod("p0", 3, 0), a_pod("p1", 3, 10, **{"kueue.x-k8s.io/priority-class": "high"})]
    queues = a_queue(preemption={"withinClusterQueue": "LowerPriority"})
    history = run_builtin(queues, pods)
    assert times(history, "Evicted") == [("p0", 10)]
    assert times(history, "Finished") == [("p1", 70)]


def a_gang(*cpus: int) -> list[Manifest]:
    """Returns the pods of a group, each of which runs 20 s longer than the one before it."""
    pods = [a_pod(f"p{i}", cpu, 0, **{"kueue.x-k8s.io/pod-group-name": "gang"}) for i, cpu in enumerate(cpus)]
    for i, pod in enumerate(pods):
        pod["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(len(pods))
        pod["metadata"]["annotations"]["wavetank.dev/duration"] = f"{60 + 20 * i}s"
    return pods


def test_quota_of_a_finished_pod_of_a_group_is_free_at_once() -> None:
    history = run_builtin(a_queue(), [*a_gang(2, 2), a_pod("next", 2, 10)])
    assert times(history) == [("gang", 0.1), ("next", 60.1)]
    assert times(history, "Finished") == [("gang", 80.1), ("next", 120.1)]


def test_the_workload_of_an_evicted_group_waits_for_other_pods() -> None:
    rival = a_pod("rival", 3, 10, **{"kueue.x-k8s.io/priority-class": "high"})
    history = run_builtin(a_queue(preemption={"withinClusterQueue": "LowerPriority"}), [*a_gang(2, 2), rival])
    assert times(history) == [("gang", 0.1), ("rival", 10), ("gang", 70)]
    assert times(history, "Finished") == [("rival", 70)]


def test_the_pod_sets_of_a_group_are_named_as_kueue_names_them() -> None:
    admitted = run_builtin(a_queue(), a_gang(1, 2)).of("Admitted")[0]
    assert admitted.flavors == (("21a4619c", "cpu", "x"), ("dc85db45", "cpu", "x"))


def test_a_repeated_run_is_the_same() -> None:
    scenario = random_run(5)
    assert scenario.run_builtin().decisions == scenario.run_builtin().decisions


@pytest.mark.parametrize(
    ("queues", "message"),
    [
        pytest.param(a_queue(queueingStrategy="Fair"), "expected one of BestEffortFIFO, StrictFIFO", id="strategy"),
        pytest.param([*a_queue(), a_flavor("t", topologyName="racks")], "at least one node label", id="flavor"),
        pytest.param([*a_queue(), a_topology("t", [])], "Topology t.spec.levels: expected 1 to 16", id="no levels"),
        pytest.param([*a_queue(), a_topology("t", ["r", "r"])], "must be unique", id="a level twice"),
        pytest.param([*a_queue(), a_topology("t", [HOSTNAME, "r"])], "only be the lowest level", id="hostname first"),
        pytest.param(a_queue(admissionScope={"admissionMode": "x"}), "not modelled", id="usage-based"),
    ],
)
def test_what_is_not_modelled_is_refused(queues: list[Manifest], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_builtin(queues, [job("j", "q", 0, 1)])


def test_other_algorithms_for_topologies_are_refused() -> None:
    with pytest.raises(InputError, match=r"featureGates\.TASBalancedPlacement: the built-in Kueue places pods"):
        run_builtin(a_queue(), [job("j", "q", 0, 1)], {"featureGates": {"TASBalancedPlacement": True}})
