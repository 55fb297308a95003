"""Volcano's scheduler as an actor: when its sessions are, what it reads and what it writes."""

import pytest

from tests.scheduling.volcano.clusters import GANG, VolcanoCluster, a_class, a_group, a_queue, a_task, conf_of, tasks_of
from tests.support.objects import a_node
from wavetank.cluster.objects.volcano import POD_GROUPS, QUEUES
from wavetank.kernel.durations import SECOND


def test_pods_wait_for_the_next_session():
    cluster = VolcanoCluster(a_node("n"))
    cluster.submit(a_task("early"), at=0.2)
    cluster.submit(a_task("later"), at=1.0)
    cluster.run_until(0.9)
    assert cluster.nodes_of_pods() == {}
    cluster.run_until(1.0)
    assert cluster.nodes_of_pods() == {"early": "n", "later": "n"}


def test_sessions_are_a_period_apart():
    cluster = VolcanoCluster(a_node("n"), period=10 * SECOND)
    cluster.submit(a_task("p"), at=0.5)
    cluster.run_until(9.9)
    assert cluster.nodes_of_pods() == {}
    cluster.run_until(10)
    assert cluster.nodes_of_pods() == {"p": "n"}


def test_what_a_session_changes_is_seen_by_the_next_one_not_by_another_at_the_same_instant():
    cluster = VolcanoCluster(a_node("n"))
    cluster.submit(a_group("g", 1), a_task("g-worker-0", "g"))
    cluster.run_until(0.5)
    assert cluster.group("g").status["phase"] == "Inqueue"  # bound, and yet it is not counted
    cluster.run_until(1.5)
    assert cluster.group("g").status["phase"] == "Running"


def test_a_gang_is_bound_when_all_of_it_fits_and_not_before():
    cluster = VolcanoCluster(a_node("n", cpu="2"), conf=GANG)
    cluster.submit(a_group("g", 3), *tasks_of("g", 3))
    cluster.run_until(5)
    assert cluster.nodes_of_pods() == {}
    condition = cluster.group("g").status["conditions"][0]
    assert condition["message"].startswith(
        "1/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAv"
    )
    cluster.submit(a_node("m", cpu="1"), at=7)
    cluster.run_until(8)
    assert sorted(cluster.nodes_of_pods()) == ["g-worker-0", "g-worker-1", "g-worker-2"]


def test_an_idle_cluster_lets_the_clock_stop():
    cluster = VolcanoCluster(a_node("n", cpu="1"), conf=GANG)
    cluster.submit(a_task("fits"), a_task("does-not", cpu="2"))
    cluster.clock.run()
    assert cluster.nodes_of_pods() == {"fits": "n"}
    assert cluster.clock.now < 5 * SECOND
    assert cluster.pod("does-not").unschedulable == "0/1 nodes are unavailable: 1 Insufficient cpu."


# pods and their groups


def test_a_pod_without_a_group_gets_one_which_goes_with_it():
    cluster = VolcanoCluster(a_node("n"))
    cluster.submit(a_task("p", cpu="2", annotations={"scheduling.volcano.sh/queue-name": "default"}))
    cluster.run_until(0)
    (group,) = cluster.store.list(POD_GROUPS)
    assert group.name == "podgroup-uid-of-p"
    assert (group.min_member, group.queue) == (1, "default")
    assert group.min_resources == {"cpu": "2", "memory": "1Gi", "pods": "1"}
    assert cluster.pod("p").annotations["scheduling.k8s.io/group-name"] == group.name
    cluster.store.delete(cluster.pod("p"))
    assert not cluster.store.has(POD_GROUPS)


def test_pods_of_one_controller_share_a_group():
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "of-rs", "controller": True}]
    pods = [a_task(f"rs-{i}") for i in range(2)]
    for pod in pods:
        pod.manifest["metadata"]["ownerReferences"] = owner
    cluster = VolcanoCluster(a_node("n"))
    cluster.submit(*pods)
    cluster.run_until(0)
    assert [group.name for group in cluster.store.list(POD_GROUPS)] == ["podgroup-of-rs"]
    cluster.store.delete(cluster.pod("rs-0"))
    assert cluster.store.has(POD_GROUPS)


def test_pods_of_other_schedulers_take_room_but_are_left_alone():
    cluster = VolcanoCluster(a_node("n", cpu="2"), scheduler_name="volcano")
    cluster.scheduler._takes_all = False
    cluster.submit(a_task("theirs", node="n"), a_task("waiting"), a_task("mine", cpu="2", schedulerName="volcano"))
    cluster.run_until(3)
    assert cluster.nodes_of_pods() == {"theirs": "n"}
    assert cluster.pod("waiting").unschedulable == ""


# queues


def test_the_queues_of_every_installation_are_there_and_open():
    cluster = VolcanoCluster(a_queue("mine", state=""))
    assert {queue.name: queue.state for queue in cluster.store.list(QUEUES)} == dict.fromkeys(
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
def test_a_job_that_cannot_be_enqueued_waits_and_its_pods_say_why(conf, queue, group, reason):
    cluster = VolcanoCluster(a_node("n"), queue, conf=conf)
    cluster.submit(group, *tasks_of("g", 3))
    cluster.clock.run()
    assert cluster.nodes_of_pods() == {}
    assert cluster.group("g").status["phase"] == "Pending"
    assert cluster.pod("g-worker-0").unschedulable.endswith(f"Origin reason is: {reason}")


def test_a_closed_queue_takes_no_jobs():
    cluster = VolcanoCluster(
        a_node("n"), a_queue("shut", state="Closed"), conf=conf_of(["gang"], ["proportion", "predicates"])
    )
    cluster.submit(a_group("g", queue="shut"), *tasks_of("g", 1))
    cluster.clock.run()
    assert cluster.nodes_of_pods() == {}


# time and eviction


def test_a_waiting_time_ends_without_any_news():
    conf = conf_of(["sla", "gang"], ["overcommit", "predicates"])
    cluster = VolcanoCluster(a_node("n", cpu="2"), conf=conf)
    cluster.submit(
        a_group("g", 1, annotations={"sla-waiting-time": "30s"}, minResources={"cpu": "9"}), *tasks_of("g", 1)
    )
    cluster.run_until(29)
    assert cluster.group("g").status["phase"] == "Pending"
    cluster.run_until(30)
    assert cluster.nodes_of_pods() == {"g-worker-0": "n"}


def test_the_evicted_leave_and_the_preemptor_follows():
    conf = conf_of(["priority", "gang"], ["predicates"], actions="enqueue, allocate, preempt")
    low = [a_group("low", 0), *tasks_of("low", 2, node="n", cpu="2")]
    cluster = VolcanoCluster(a_node("n"), a_class("high", 10), *low, conf=conf)
    cluster.submit(a_group("vip", 1, priorityClassName="high"), *tasks_of("vip", 1, cpu="2", priority=10))
    cluster.run_until(0)
    assert [pod.name for pod in cluster.store.list("Pod") if pod.deleted is not None] == ["low-worker-1"]
    assert cluster.pod("vip-worker-0").nominated_node == "n"
    cluster.store.delete(cluster.pod("low-worker-1"))
    cluster.run_until(1)
    assert cluster.nodes_of_pods()["vip-worker-0"] == "n"


def test_a_group_without_pods_that_is_not_enqueued_is_known_by_its_scheduler():
    cluster = VolcanoCluster(a_node("n"), a_queue(capability={"cpu": "1"}), conf=conf_of(["gang"], ["proportion"]))
    cluster.submit(a_group("g", 1, minResources={"cpu": "3"}))
    cluster.clock.run()
    assert cluster.scheduler.rejected_groups() == {"default/g": "queue resource quota insufficient: insufficient cpu"}


class Spoilsport:
    """Deletes the others as soon as one pod is bound."""

    def __init__(self, cluster):
        self.cluster = cluster

    def added(self, new):
        """Waits."""

    def modified(self, old, new):
        if new.node_name and not old.node_name:
            for pod in list(self.cluster.store.list("Pod")):
                if pod.name != new.name:
                    self.cluster.store.delete(pod)
            self.cluster.store.delete(self.cluster.group("g"))

    def deleted(self, old):
        """Knows that already."""


def test_changes_by_others_during_a_session_are_respected():
    cluster = VolcanoCluster(a_node("n"), conf=GANG)
    cluster.store.subscribe("Pod", Spoilsport(cluster))
    cluster.submit(a_group("g", 2), *tasks_of("g", 3), a_task("large", cpu="9"))
    cluster.run_until(3)
    assert cluster.nodes_of_pods() == {"g-worker-0": "n"}
    assert cluster.scheduler.cache.node_resources.used[0, 0] == 1000
