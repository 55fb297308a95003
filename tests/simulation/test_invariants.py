"""What holds in every simulation, whatever the cluster, the workload, the scheduler and the faults."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.simulation.experiments import an_experiment, as_tuple, bound_requests, measured, simulate, specs
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.results.metrics.usage import Usage
from wavetank.results.recording.recordedpods import RecordedPods
from wavetank.results.recording.recorder import Recorder
from wavetank.scheduling.scheduler.scheduler import Scheduler

SEEDS = st.integers(0, 2**31)
some = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@some
@given(specs(), SEEDS)
def test_no_node_is_ever_over_committed(spec: dict[str, Any], seed: int) -> None:
    def check(store: Store, clock: Clock) -> None:
        nodes = {node.name: node.allocatable for node in store.list("Node")}
        for name, requests in bound_requests(store).items():
            assert all(amount <= nodes[name].get(resource, 0) for resource, amount in requests.items() if amount)

    simulate(spec, seed, check)


@some
@given(specs(), SEEDS)
def test_time_never_goes_back(spec: dict[str, Any], seed: int) -> None:
    times = [0]

    def check(store: Store, clock: Clock) -> None:
        assert clock.now >= times[-1]
        times.append(clock.now)

    recorder = simulate(spec, seed, check)
    assert recorder.end >= times[-1]
    for row in recorder.rows:
        known = [row.submitted, row.scheduled, row.started, row.finished, recorder.end]
        reached = [time for time in known if time is not None]
        assert reached == sorted(reached)


@some
@given(specs(), SEEDS)
def test_every_submitted_pod_is_accounted_for(spec: dict[str, Any], seed: int) -> None:
    recorder = simulate(spec, seed)
    experiment = an_experiment(spec)
    submitted = sum(generator["pods"] for generator in spec["workload"]["generators"])
    names = [row.name for row in recorder.rows]
    assert len(names) == len(set(names))
    assert len(names) == submitted or (experiment.horizon is not None and len(names) < submitted)
    metrics = measured(recorder)
    assert metrics.pods == len(names)
    assert metrics.scheduled_pods + metrics.unscheduled_pods == metrics.pods
    assert metrics.succeeded_pods + metrics.failed_pods <= metrics.pods
    assert metrics.evicted_pods <= metrics.pods
    for row in recorder.rows:
        assert (row.finished is not None) == (row.phase in ("Succeeded", "Failed"))
        assert (row.scheduled is None) == (row.node == "")
        assert row.started is None or row.scheduled is not None


@some
@given(specs(endless=False), SEEDS)
def test_a_run_ends_when_every_pod_has_ended_or_fits_nowhere(spec: dict[str, Any], seed: int) -> None:
    stores: list[Store] = []
    recorder = simulate(spec, seed, lambda store, clock: stores.append(store) if not stores else None)
    for row in recorder.rows:
        if row.finished is None:
            assert row.scheduled is None, f"{row.name} was left {row.phase}"
            assert fits_nowhere(row.spec.requests, stores[0]), f"{row.name} was forgotten"


def fits_nowhere(requests: Any, store: Store) -> bool:
    """Tells whether no node that takes pods could hold a pod alone; nothing runs any more."""
    nodes = [node for node in store.list("Node") if node.ready and not node.unschedulable]
    wanted = {"pods": 1, **requests}
    return not any(all(amount <= node.allocatable.get(name, 0) for name, amount in wanted.items()) for node in nodes)


@some
@given(specs(), SEEDS)
def test_the_same_seed_gives_the_same_rows(spec: dict[str, Any], seed: int) -> None:
    once, again = (simulate(spec, seed) for _ in range(2))
    assert list(map(as_tuple, once.rows)) == list(map(as_tuple, again.rows))
    assert (once.end, once.finished_pods) == (again.end, again.finished_pods)
    assert measured(once) == measured(again)


@some
@given(specs(), SEEDS)
def test_deferred_updates_change_nothing(spec: dict[str, Any], seed: int) -> None:
    def hear(scheduler: Scheduler, old: Pod, new: Pod) -> None:
        scheduler.receive(scheduler.event_handlers.pod_modified, old, new)

    later = simulate(spec, seed)
    with mock.patch.object(Scheduler, "receive_update", hear):
        at_once = simulate(spec, seed)
    assert list(map(as_tuple, later.rows)) == list(map(as_tuple, at_once.rows))
    assert later.end == at_once.end


@some
@given(specs(), SEEDS)
def test_utilisation_is_a_share_of_the_cluster(spec: dict[str, Any], seed: int) -> None:
    recorder = simulate(spec, seed)
    metrics = measured(recorder)
    assert 0 <= metrics.cpu_utilization <= 1 + 1e-9
    assert 0 <= metrics.memory_utilization <= 1 + 1e-9
    assert_shares(recorder)


def assert_shares(recorder: Recorder) -> None:
    usage = Usage(RecordedPods(recorder.rows), recorder.node_changes).buckets(0, recorder.end)
    for share in (usage.cpu_utilization, usage.memory_utilization):
        assert ((share >= 0) & (share <= 1 + 1e-9)).all()
    for count in (usage.pods_running, usage.pods_pending, usage.nodes):
        assert (count >= -1e-9).all()
    assert (usage.pods_running <= len(recorder.rows)).all()
    assert np.isfinite(usage.time_s).all()
