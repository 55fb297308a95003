"""Every known defect of Volcano: what it does, and that it is gone when it is switched off."""

import pytest

from tests.scheduling.volcano.clusters import (
    a_cache,
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
from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.config.conf import parse_conf
from wavetank.scheduling.volcano.model.statuses import BOUND, RUNNING
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.statement import Statement
from wavetank.scheduling.volcano.session.ties import ByName


def both(resources, conf, defect):
    """Runs the same session with a defect and without it."""
    return [session_on(a_cache(*resources()), conf, without=without) for without in ((), (defect,))]


def test_an_empty_answer_is_no_veto():
    conf = conf_of(["priority", "gang"], ["drf", "predicates"], actions="preempt")
    with_it, without_it = both(
        lambda: [
            a_node("n"),
            a_group("rich", 4, "Running"),
            *tasks_of("rich", 4, node="n"),
            a_group("poor", 1, "Inqueue"),
            *tasks_of("poor", 1),
        ],
        conf,
        defects.EMPTY_ANSWER,
    )
    assert evicted(with_it) == ["rich-worker-2"]  # of equal priority, and its gang needs all four: drf alone is heard
    assert evicted(without_it) == []


def opened(cache, *without):
    conf = parse_conf(conf_of(["gang"], ["predicates"]))
    plugins = plugin_makers(KubePlugins(Listers()))
    return Session(cache, conf, plugins, now=0, start=0, ties=ByName(), without=frozenset(without))


@pytest.mark.parametrize(
    ("without", "seen", "status"),
    [((), False, RUNNING), ((defects.HIDDEN_PODS,), True, RUNNING), ((defects.BOUND_RUNS,), False, BOUND)],
)
def test_an_eviction_that_is_taken_back_is_not_quite(without, seen, status):
    cache = a_cache(a_node("n"), a_group("g", 0, "Running"), a_task("g-worker-0", "g", node="n", phase="Pending"))
    session = opened(cache, *without)
    (task,) = cache.tasks.values()
    statement = Statement(session)
    statement.evict(task, "preempt")
    assert task.pod.uid not in cache.table.placements
    statement.discard()
    assert (task.pod.uid in cache.table.placements) == seen
    assert task.status == status
    session.end()
    assert task.pod.uid in cache.table.placements
    assert task.status == BOUND


def far_from(app):
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_the_terms_of_pods_that_come_in_the_session_are_overlooked():
    with_it, without_it = both(
        lambda: [
            a_node("n"),
            a_group("a-loner", 1, "Inqueue"),
            a_task("a-loner-worker-0", "a-loner", affinity=far_from("b")),
            a_group("b-other", 1, "Inqueue"),
            a_task("b-other-worker-0", "b-other", labels={"app": "b"}),
        ],
        conf_of(["gang"], ["predicates"]),
        defects.STALE_AFFINITY,
    )
    assert bound(with_it) == {"a-loner-worker-0": "n", "b-other-worker-0": "n"}
    assert bound(without_it) == {"a-loner-worker-0": "n"}


def test_an_image_counts_as_often_as_when_the_node_came():
    images = {"images": [{"names": ["app:1"], "sizeBytes": 900 << 20}]}

    def nodes():
        return [a_node(name, status=images) for name in ("first", "second")]

    weights = {f"{part}.weight": 0 for part in ("leastrequested", "balancedresource", "tainttoleration")}
    order = ("nodeorder", {"arguments": weights})
    with_it, without_it = both(
        lambda: [*nodes(), a_group("g", 1, "Inqueue"), *tasks_of("g", 1)],
        conf_of(["gang"], ["predicates", order]),
        defects.STALE_IMAGES,
    )
    assert bound(with_it) == {"g-worker-0": "second"}  # the first node knows of one that has the image: itself
    assert bound(without_it) == {"g-worker-0": "first"}


def test_what_refused_one_of_a_role_refuses_the_others_too():
    """The large task does not fit on the small node; so its little brother is not let there either."""
    tasks = [
        a_task("g-worker-0", "g", cpu="4", labels={"app": "g"}),
        a_task("g-worker-1", "g", cpu="1", labels={"app": "g"}),
    ]
    with_it, without_it = both(
        lambda: [a_node("large", cpu="4"), a_node("small", cpu="2"), a_group("g", 2, "Inqueue"), *tasks],
        conf_of(["gang"], ["predicates"]),
        defects.STALE_ERRORS,
    )
    assert bound(with_it) == {}
    assert bound(without_it) == {"g-worker-0": "large", "g-worker-1": "small"}


def test_a_filter_that_had_nothing_to_say_is_not_asked_again():
    """Allocate checks the task before the node holds a pod that it conflicts with; preempt does so afterwards."""
    first = a_task("a-worker-0", "a", cpu="3", affinity=far_from("b"))
    second = a_task("b-worker-0", "b", cpu="2", labels={"app": "b"})
    cache = a_cache(a_node("n"), a_group("a", 1, "Inqueue"), first, a_group("b", 1, "Inqueue"), second)
    for without, skipped in (((), True), ((defects.STICKY_SKIPS,), False)):
        session = opened(cache, defects.STALE_AFFINITY, *without)
        task = cache.tasks["default/b-worker-0"]
        assert session.tiers.prepare(task) == ""
        session.tiers.prepare(cache.tasks["default/a-worker-0"])
        session.allocate(cache.tasks["default/a-worker-0"], 0)
        session.tiers.prepare(task)
        assert (not session.tiers.predicate(task, session.nodes).any()) == skipped
        session.end()


def test_refused_victims_are_deducted_as_well():
    conf = conf_of(["priority"], ["drf", "predicates"], actions="preempt")
    rich = [a_task(f"rich-worker-{i}", "rich", node="n", cpu=cpu) for i, cpu in enumerate(("3", "1"))]
    with_it, without_it = both(
        lambda: [
            a_node("n", cpu="5"),
            a_group("rich", 0, "Running"),
            *rich,
            a_group("poor", 1, "Inqueue"),
            *tasks_of("poor", 1, cpu="2"),
        ],
        conf,
        defects.UNRESTORED_SHARE,
    )
    assert evicted(with_it) == []  # without the large one, which drf refuses, the small one seems to be all there is
    assert evicted(without_it) == ["rich-worker-1"]


def test_a_job_just_placed_counts_twice_with_overcommit():
    least = {"cpu": "2"}
    with_it, without_it = both(
        lambda: [
            a_node("n"),
            a_group("placed", 2, "Inqueue", minResources=least),
            *tasks_of("placed", 2, node="n"),
            a_group("next", 2, minResources=least),
            *tasks_of("next", 2),
        ],
        conf_of(["gang"], ["overcommit", "predicates"]),
        defects.DOUBLE_INQUEUE,
    )
    assert [job.key for job in with_it.enqueued] == []
    assert [job.key for job in without_it.enqueued] == ["default/next"]


def test_a_job_that_waits_for_others_holds_what_it_got():
    def resources():
        leaving = a_task("old-worker-0", "old", node="b", cpu="4")
        leaving.deleted = 0
        return [
            a_node("a", cpu="1"),
            a_node("b", cpu="4"),
            a_group("old", 0, "Running"),
            leaving,
            a_group("pair", 2, "Inqueue"),
            *tasks_of("pair", 2),
            a_group("single", 1, "Inqueue"),
            *tasks_of("single", 1),
        ]

    with_it, without_it = both(resources, conf_of(["gang"], ["predicates"]), defects.HELD_RESOURCES)
    assert (bound(with_it), len(with_it.pipelined)) == ({}, 2)
    assert bound(without_it) == {"single-worker-0": "a"}


def test_a_share_that_was_rounded_down_costs_a_task():
    """The third queue has all it asks for; the others share the rest, 2 CPU each but for the last bit."""

    def resources():
        yield a_node("n", cpu="6")
        for name, weight, tasks in (("a", 5, 6), ("b", 5, 6), ("c", 7, 2)):
            yield a_queue(name, weight=weight)
            yield a_group(name, 1, "Inqueue", queue=name)
            yield from tasks_of(name, tasks, memory="1Mi")

    with_it, without_it = both(resources, conf_of(["gang"], ["proportion", "predicates"]), defects.EXACT_SHARES)
    assert (len(with_it.binds), len(without_it.binds)) == (4, 6)


def test_a_task_without_a_share_is_dropped_without_a_word():
    with_it, without_it = both(
        lambda: [
            a_node("n"),
            a_queue(capability={"cpu": "1"}),
            a_group("g", 1, "Inqueue"),
            *tasks_of("g", 1, cpu="2"),
        ],
        conf_of(["gang"], ["proportion", "predicates"]),
        defects.DROPPED_TASK,
    )
    assert "nodes" not in with_it.conditions["default/g-worker-0"].message
    assert without_it.conditions["default/g-worker-0"].message.startswith("Queue <default> is overused")
