"""The rules of single plugins, worked out by hand."""

import pytest

from tests.scheduling.volcano.clusters import (
    a_cache,
    a_class,
    a_group,
    a_queue,
    a_task,
    bound,
    conf_of,
    evicted,
    session_on,
    tasks_of,
)
from tests.support.objects import a_node
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.volcano.config.conf import parse_conf
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import ByName


def opened(cache, conf):
    plugins = plugin_makers(KubePlugins(Listers()))
    return Session(cache, parse_conf(conf), plugins, now=0, start=0, ties=ByName())


@pytest.mark.parametrize(
    ("arguments", "used", "score"),
    [
        pytest.param({}, "0", 18.75, id="(1/4 + 1/8) / 2 of an empty node"),
        pytest.param({}, "3", 56.25, id="(4/4 + 1/8) / 2 when CPU is filled"),
        pytest.param({"binpack.cpu": 3}, "0", 21.875, id="(3 x 1/4 + 1/8) / 4"),
        pytest.param({"binpack.weight": 10}, "0", 187.5, id="times its weight"),
        pytest.param({"binpack.memory": 0}, "0", 25.0, id="memory does not count"),
        pytest.param({}, "3500m", 0.0, id="nothing where it does not fit"),
        pytest.param({"binpack.cpu": -1, "binpack.weight": 1.5}, "0", 18.75, id="what makes no sense is left out"),
    ],
)
def test_binpack_is_the_weighted_share_after_the_task_came(arguments, used, score):
    cache = a_cache(
        a_node("n"),
        a_group("old", 0, "Running"),
        *([a_task("old-worker-0", "old", node="n", cpu=used, memory="")] if used != "0" else []),
        a_group("g", 1, "Inqueue"),
        *tasks_of("g", 1),
    )
    session = opened(cache, conf_of([("binpack", {"arguments": arguments})]))
    scores = session.tiers.node_scores(cache.tasks["default/g-worker-0"], session.nodes)
    assert scores["binpack"].tolist() == [score]


@pytest.mark.parametrize(
    ("weights", "requests", "deserved"),
    [
        pytest.param((1, 1), (8, 8), (4000, 4000), id="half each"),
        pytest.param((3, 1), (8, 8), (6000, 2000), id="by weight"),
        pytest.param((1, 1), (2, 8), (2000, 6000), id="what one does not need the other gets"),
        pytest.param((3, 1), (1, 1), (1000, 1000), id="no queue gets more than it asks for"),
    ],
)
def test_proportion_divides_by_weight_what_is_asked_for(weights, requests, deserved):
    resources = [a_node("n", cpu="8", memory="64Gi")]
    for name, weight, number in zip("ab", weights, requests, strict=True):
        resources += [a_queue(name, weight=weight), a_group(name, 1, queue=name), *tasks_of(name, number)]
    session = opened(a_cache(*resources), conf_of(["proportion"]))
    node_resources = session.plugins["proportion"].snapshot()
    assert tuple(node_resources[name]["deserved"]["cpu"] for name in "ab") == deserved


@pytest.mark.parametrize(
    ("least", "binds"),
    [(1, 2), (2, 2), (3, 0)],
    ids=["more than the minimum fits", "just the minimum fits", "less than the minimum fits"],
)
def test_gang_is_all_or_nothing_up_to_the_minimum(least, binds):
    cache = a_cache(a_node("n", cpu="2"), a_group("g", least, "Inqueue"), *tasks_of("g", 3))
    assert len(session_on(cache, conf_of(["gang"], ["predicates"])).binds) == binds


def test_gang_counts_roles():
    group = a_group("g", 2, "Inqueue", minTaskMember={"ps": 1, "worker": 1})
    tasks = [a_task("g-ps-0", "g", role="ps", cpu="3"), a_task("g-worker-0", "g", cpu="2")]
    outcome = session_on(a_cache(a_node("n"), group, *tasks), conf_of(["gang"], ["predicates"]))
    assert bound(outcome) == {}
    outcome = session_on(a_cache(a_node("n"), a_node("m"), group, *tasks), conf_of(["gang"], ["predicates"]))
    assert len(bound(outcome)) == 2


def test_ghodsis_example_comes_out_exactly():
    """9 CPU and 18 GB; tasks of <1 CPU, 4 GB> and <3 CPU, 1 GB>: three of the one and two of the other."""
    users = [("a", "1", "4G"), ("b", "3", "1G")]
    resources = [a_node("n", cpu="9", memory="18G")]
    for name, cpu, memory in users:
        resources += [a_group(name, 1, "Inqueue"), *tasks_of(name, 9, cpu=cpu, memory=memory)]
    binds = bound(session_on(a_cache(*resources), conf_of(["drf"], ["predicates"])))
    assert sorted(name[0] for name in binds) == ["a"] * 3 + ["b"] * 2


@pytest.mark.parametrize(
    ("protected", "more"),
    [
        pytest.param("kube-system pods", {"priorityClassName": "system-node-critical"}, id="system class"),
        pytest.param("by annotation", {"annotations": {"volcano.sh/preemptable": "false"}}, id="not preemptable"),
    ],
)
def test_a_protected_pod_is_not_evicted(protected, more):
    cache = a_cache(
        a_node("n"),
        a_class("high", 10),
        a_group("low", 0, "Running"),
        *tasks_of("low", 4, node="n", **more),
        a_group("vip", 1, "Inqueue", priorityClassName="high"),
        *tasks_of("vip", 1),
    )
    conf = conf_of(["priority", "gang", "conformance"], ["predicates"], actions="allocate, preempt")
    assert evicted(session_on(cache, conf)) == []


def test_priority_evicts_the_last_task_of_the_least_important_job():
    cache = a_cache(
        a_node("n"),
        *(a_class(name, value) for name, value in (("high", 10), ("low", 5))),
        a_group("a", 0, "Running", priorityClassName="low"),
        *tasks_of("a", 2, node="n"),
        a_group("b", 0, "Running"),
        *tasks_of("b", 2, node="n"),
        a_group("vip", 1, "Inqueue", priorityClassName="high"),
        *tasks_of("vip", 1),
    )
    outcome = session_on(cache, conf_of(["priority", "gang"], ["predicates"], actions="allocate, preempt"))
    assert evicted(outcome) == ["b-worker-1"]
    assert outcome.pipelined == {"default/vip-worker-0": "n"}


def test_reclaim_takes_from_a_queue_above_its_share_until_the_gang_is_served():
    cache = a_cache(
        a_node("n"),
        *(a_queue(name) for name in ("rich", "poor")),
        a_group("r", 0, "Running", queue="rich"),
        *tasks_of("r", 4, node="n"),
        a_group("p", 2, "Inqueue", queue="poor"),
        *tasks_of("p", 3),
    )
    conf = conf_of(["priority", "gang"], ["predicates", "proportion"], actions="allocate, reclaim")
    assert evicted(session_on(cache, conf)) == ["r-worker-3", "r-worker-2"]


def test_capacity_lets_a_queue_borrow_and_gives_back_what_others_deserve():
    deserved = {"deserved": {"cpu": "2", "memory": "4Gi"}}
    cache = a_cache(
        a_node("n"),
        *(a_queue(name, **deserved) for name in ("rich", "poor")),
        a_group("r", 0, "Running", queue="rich"),
        *tasks_of("r", 4, node="n"),
        a_group("p", 1, "Inqueue", queue="poor"),
        *tasks_of("p", 3),
    )
    conf = conf_of(["priority"], ["predicates", "capacity"], actions="allocate, reclaim")
    assert evicted(session_on(cache, conf)) == ["r-worker-3", "r-worker-2"]  # the third would be more than it deserves


def test_a_hierarchy_limits_a_child_by_its_parent():
    queues = [a_queue("root"), a_queue("team", parent="root", capability={"cpu": "2"}), a_queue("me", parent="team")]
    cache = a_cache(a_node("n"), *queues, a_group("g", 1, "Inqueue", queue="me"), *tasks_of("g", 4))
    conf = conf_of(["gang"], ["predicates", ("capacity", {"enableHierarchy": "true"})])
    assert len(session_on(cache, conf).binds) == 2


def test_backfill_places_what_asks_for_nothing():
    cache = a_cache(a_node("n"), a_group("g", 1, "Inqueue"), *tasks_of("g", 2, cpu="", memory=""))
    assert len(session_on(cache, conf_of(["gang"], ["predicates"], actions="allocate")).binds) == 0
    assert len(session_on(cache, conf_of(["gang"], ["predicates"], actions="allocate, backfill")).binds) == 2
