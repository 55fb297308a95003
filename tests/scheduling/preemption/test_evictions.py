"""How a preemption is carried out, request by request."""

from __future__ import annotations

import pytest

from tests.support.objects import a_pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.scheduling.framework.nodes.nominator import Nominator
from wavetank.scheduling.scheduler.evictions import Evictions


class Preempting:
    """A preemptor whose victims run on a node, and the requests that were sent for it."""

    def __init__(self, *victims):
        self.store = Store(Clock())
        self.preemptor = a_pod("important", priority=10)
        self.victims = [a_pod(name, nodeName="n0", terminationGracePeriodSeconds=30) for name in victims]
        for pod in (self.preemptor, *self.victims):
            self.store.create(pod)
        self.nominator = Nominator()
        self.sent = []
        self.running = {}
        self.evictions = Evictions(self.store, self.nominator, self.sent.append, lambda: (1, 2))

    def begin(self):
        self.evictions.begin(self.preemptor, "n0", tuple(self.victims), self.running)

    def answer(self):
        """Lets the API server take the one request that was sent; returns how long it takes."""
        (request,) = self.sent
        self.sent.clear()
        request.commit()
        request.answered()
        return request.latency

    def waits(self):
        is_running = self.running.get(self.preemptor.uid)
        return is_running is not None and is_running()

    def going(self):
        return [pod.name for pod in self.store.list("Pod") if pod.deleted is not None]


def test_each_victim_is_marked_and_deleted_one_after_the_other():
    preempting = Preempting("a", "b")
    preempting.begin()
    assert preempting.waits()
    assert [preempting.answer(), preempting.answer()] == [1, 2]
    assert (preempting.going(), preempting.waits()) == (["a"], True)
    assert [preempting.answer(), preempting.answer()] == [1, 2]
    assert (preempting.going(), preempting.waits(), preempting.sent) == (["a", "b"], False, [])


@pytest.mark.parametrize(("victim", "waits"), [("a", True), ("b", False)])
def test_it_is_over_when_the_last_victim_goes_for_any_reason(victim, waits):
    preempting = Preempting("a", "b")
    preempting.begin()
    preempting.answer()
    preempting.answer()
    preempting.store.evict(preempting.store.get("Pod", "default", victim), "")
    assert preempting.waits() is waits


def test_a_victim_that_has_gone_meanwhile_is_not_deleted():
    preempting = Preempting("a", "b")
    preempting.begin()
    preempting.store.delete(preempting.victims[0])
    assert [preempting.answer() for _ in range(3)] == [1, 1, 2]


def test_less_important_pods_lose_their_nomination_first():
    preempting = Preempting("a")
    other = a_pod("other")
    other.nominated_node = "n0"
    preempting.store.create(other)
    preempting.nominator.set(other, "n0")
    preempting.begin()
    preempting.answer()
    assert preempting.store.get("Pod", "default", "other").nominated_node == ""
    assert preempting.going() == []
