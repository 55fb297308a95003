"""Volcano's scheduler as an actor: when its sessions are, what it reads and what it writes."""

import pytest

from tests.scheduling.volcano.clusters import GANG, Run, a_class, a_group, a_node, a_queue, a_task, conf_of, tasks_of
from wavetank.cluster.objects.volcano import POD_GROUPS, QUEUES
from wavetank.kernel.durations import SECOND


def test_pods_wait_for_the_next_session():
    run = Run(a_node("n"))
    run.submit(a_task("early"), at=0.2)
    run.submit(a_task("later"), at=1.0)
    run.until(0.9)
    assert run.placed == {}
    run.until(1.0)
    assert run.placed == {"early": "n", "later": "n"}


def test_sessions_are_a_period_apart():
    run = Run(a_node("n"), period=10 * SECOND)
    run.submit(a_task("p"), at=0.5)
    run.until(9.9)
    assert run.placed == {}
    run.until(10)
    assert run.placed == {"p": "n"}


def test_what_a_session_changes_is_seen_by_the_next_one_not_by_another_at_the_same_instant():
    run = Run(a_node("n"))
    run.submit(a_group("g", 1), a_task("g-worker-0", "g"))
    run.until(0.5)
    assert run.group("g").status["phase"] == "Inqueue"  # bound, and yet nobody has counted it
    run.until(1.5)
    assert run.group("g").status["phase"] == "Running"


def test_a_gang_is_bound_when_all_of_it_fits_and_not_before():
    run = Run(a_node("n", cpu="2"), conf=GANG)
    run.submit(a_group("g", 3), *tasks_of("g", 3))
    run.until(5)
    assert run.placed == {}
    condition = run.group("g").status["conditions"][0]
    assert condition["message"].startswith(
        "1/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAv"
    )
    run.submit(a_node("m", cpu="1"), at=7)
    run.until(8)
    assert sorted(run.placed) == ["g-worker-0", "g-worker-1", "g-worker-2"]


def test_an_idle_cluster_lets_the_clock_stop():
    run = Run(a_node("n", cpu="1"), conf=GANG)
    run.submit(a_task("fits"), a_task("does-not", cpu="2"))
    run.clock.run()
    assert run.placed == {"fits": "n"}
    assert run.clock.now < 5 * SECOND
    assert run.pod("does-not").unschedulable == "0/1 nodes are unavailable: 1 Insufficient cpu."


# pods and their groups


def test_a_pod_without_a_group_gets_one_which_goes_with_it():
    run = Run(a_node("n"))
    run.submit(a_task("p", cpu="2", annotations={"scheduling.volcano.sh/queue-name": "default"}))
    run.until(0)
    (group,) = run.store.list(POD_GROUPS)
    assert group.name == "podgroup-uid-of-p"
    assert (group.min_member, group.queue) == (1, "default")
    assert group.min_resources == {"cpu": "2", "memory": "1Gi", "pods": "1"}
    assert run.pod("p").annotations["scheduling.k8s.io/group-name"] == group.name
    run.store.delete(run.pod("p"))
    assert not run.store.has(POD_GROUPS)


def test_pods_of_one_controller_share_a_group():
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "of-rs", "controller": True}]
    pods = [a_task(f"rs-{i}") for i in range(2)]
    for pod in pods:
        pod.manifest["metadata"]["ownerReferences"] = owner
    run = Run(a_node("n"))
    run.submit(*pods)
    run.until(0)
    assert [group.name for group in run.store.list(POD_GROUPS)] == ["podgroup-of-rs"]
    run.store.delete(run.pod("rs-0"))
    assert run.store.has(POD_GROUPS)


def test_other_peoples_pods_take_room_but_are_left_alone():
    run = Run(a_node("n", cpu="2"), scheduler_name="volcano")
    run.scheduler._takes_all = False
    run.submit(a_task("theirs", node="n"), a_task("waiting"), a_task("mine", cpu="2", schedulerName="volcano"))
    run.until(3)
    assert run.placed == {"theirs": "n"}
    assert run.pod("waiting").unschedulable == ""


# queues


def test_the_queues_of_every_installation_are_there_and_open():
    run = Run(a_queue("mine", state=""))
    assert {queue.name: queue.state for queue in run.store.list(QUEUES)} == dict.fromkeys(
        ("mine", "root", "default"), "Open"
    )


@pytest.mark.parametrize(
    ("conf", "queue", "group", "reason"),
    [
        pytest.param(
            conf_of(["gang"], ["overcommit", "predicates"]),
            a_queue(),
            a_group("g", 3, minResources={"cpu": "9", "memory": "1Gi"}),
            "resource in cluster is overused: overused cpu",
            id="larger than the cluster",
        ),
        pytest.param(
            conf_of(["gang"], ["proportion", "predicates"]),
            a_queue(capability={"cpu": "2"}),
            a_group("g", 3, minResources={"cpu": "3", "memory": "1Gi"}),
            "queue resource quota insufficient: insufficient cpu",
            id="over its queue's capability",
        ),
        pytest.param(
            conf_of(["gang"], ["capacity", "predicates"]),
            a_queue(capability={"memory": "2Gi"}),
            a_group("g", 3, minResources={"cpu": "3", "memory": "3Gi"}),
            "queue resource quota insufficient: insufficient memory",
            id="over its queue's capability, with capacity",
        ),
    ],
)
def test_a_job_that_cannot_be_let_in_waits_and_its_pods_say_why(conf, queue, group, reason):
    run = Run(a_node("n"), queue, conf=conf)
    run.submit(group, *tasks_of("g", 3))
    run.clock.run()
    assert run.placed == {}
    assert run.group("g").status["phase"] == "Pending"
    assert run.pod("g-worker-0").unschedulable.endswith(f"Origin reason is: {reason}")


def test_a_closed_queue_takes_nobody():
    run = Run(a_node("n"), a_queue("shut", state="Closed"), conf=conf_of(["gang"], ["proportion", "predicates"]))
    run.submit(a_group("g", queue="shut"), *tasks_of("g", 1))
    run.clock.run()
    assert run.placed == {}


# time and eviction


def test_a_waiting_time_ends_without_any_news():
    conf = conf_of(["sla", "gang"], ["overcommit", "predicates"])
    run = Run(a_node("n", cpu="2"), conf=conf)
    run.submit(a_group("g", 1, annotations={"sla-waiting-time": "30s"}, minResources={"cpu": "9"}), *tasks_of("g", 1))
    run.until(29)
    assert run.group("g").status["phase"] == "Pending"
    run.until(30)
    assert run.placed == {"g-worker-0": "n"}


def test_the_evicted_leave_and_the_preemptor_follows():
    conf = conf_of(["priority", "gang"], ["predicates"], actions="enqueue, allocate, preempt")
    low = [a_group("low", 0), *tasks_of("low", 2, node="n", cpu="2")]
    run = Run(a_node("n"), a_class("high", 10), *low, conf=conf)
    run.submit(a_group("vip", 1, priorityClassName="high"), *tasks_of("vip", 1, cpu="2", priority=10))
    run.until(0)
    assert [pod.name for pod in run.store.list("Pod") if pod.deleted is not None] == ["low-worker-1"]
    assert run.pod("vip-worker-0").nominated_node == "n"
    run.store.delete(run.pod("low-worker-1"))
    run.until(1)
    assert run.placed["vip-worker-0"] == "n"


def test_a_group_without_pods_that_is_not_let_in_is_known_by_its_scheduler():
    run = Run(a_node("n"), a_queue(capability={"cpu": "1"}), conf=conf_of(["gang"], ["proportion"]))
    run.submit(a_group("g", 1, minResources={"cpu": "3"}))
    run.clock.run()
    assert run.scheduler.not_let_in() == {"default/g": "queue resource quota insufficient: insufficient cpu"}


class Spoilsport:
    """Deletes the others as soon as one pod is bound."""

    def __init__(self, run):
        self.run = run

    def added(self, new):
        """Waits."""

    def modified(self, old, new):
        if new.node_name and not old.node_name:
            for pod in list(self.run.store.list("Pod")):
                if pod.name != new.name:
                    self.run.store.delete(pod)
            self.run.store.delete(self.run.group("g"))

    def deleted(self, old):
        """Knows that already."""


def test_what_somebody_else_does_in_between_is_no_surprise():
    run = Run(a_node("n"), conf=GANG)
    run.store.subscribe("Pod", Spoilsport(run))
    run.submit(a_group("g", 2), *tasks_of("g", 3), a_task("large", cpu="9"))
    run.until(3)
    assert run.placed == {"g-worker-0": "n"}
    assert run.scheduler.cache.books.used[0, 0] == 1000
