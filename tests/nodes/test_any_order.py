"""Whatever happens to pods and nodes, in whatever order: nothing fails, and no resources are lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes.clusters import KubeletCluster, a_job, a_run, latency
from wavetank.cluster.objects.podbehavior import Job
from wavetank.cluster.store.errors import ApiError

NODES, PODS = ["n", "m"], ["a", "b", "c", "d"]
TIMES = st.integers(0, 60)
LATENCIES = st.sampled_from(
    [latency(), latency(sync=1, start=2, finish=1), latency(sync=3, start=1, bandwidth=10, pull_check=1)]
)
ACTIONS = st.one_of(
    st.tuples(TIMES, st.sampled_from(["bind", "evict", "kill", "delete"]), st.sampled_from(PODS)),
    st.tuples(
        TIMES,
        st.sampled_from(["fail", "recover", "cordon", "uncordon", "drain", "remove", "add"]),
        st.sampled_from(NODES),
    ),
)
KINDS = st.fixed_dictionaries(
    {
        "duration": st.sampled_from([None, 0, 5, 40]),
        "exit_code": st.sampled_from([0, 1]),
        "termination": st.sampled_from([0, 3, 50]),
        "restartPolicy": st.sampled_from(["Always", "OnFailure", "Never"]),
        "cpu": st.sampled_from([0, 1, 3]),
        "node": st.sampled_from(NODES),
        "in_job": st.booleans(),
        "phase": st.sampled_from(["", "Pending", "Running"]),
    }
)


class RandomActions(KubeletCluster):
    """A cluster in which planned things happen, as far as they can."""

    def __init__(self, actions: list[tuple[int, str, str]], kinds: list[dict[str, Any]], latencies: Any) -> None:
        super().__init__(latencies)
        self.kinds = dict(zip(PODS, kinds, strict=True))
        job = a_job(max(1, sum(kind["in_job"] for kind in kinds)), walltime=30)
        for name in NODES:
            self.add_node(name)
        for name, kind in self.kinds.items():
            self._create(name, kind, job if kind["in_job"] else None)
        self.faults(*(action for action in actions if action[1] in ("fail", "recover", "cordon", "uncordon", "drain")))
        for at, what, name in actions:
            self.at(at, lambda what=what, name=name: self._try(what, name))  # type: ignore[misc]

    def _create(self, name: str, kind: dict[str, Any], job: Job | None) -> None:
        run = a_run(kind["duration"], kind["exit_code"], kind["termination"], job=job)
        spec = {"restartPolicy": kind["restartPolicy"], "requests": {"cpu": kind["cpu"]}}
        if kind["phase"]:
            self.submit(name, run, kind["phase"], nodeName=kind["node"], **spec)
        else:
            self.submit(name, run, **spec)

    def _try(self, what: str, name: str) -> None:
        try:
            if what == "bind":
                self.bind(name, self.kinds[name]["node"])
            elif what in ("evict", "kill"):
                self.evict(name, 0 if what == "kill" else None)
            elif what == "delete":
                self.store.delete(self.pod(name))
            elif what == "remove":
                self.store.delete(self.the_node(name))
            elif what == "add":
                self.add_node(name)
        except ApiError:
            pass

    def clear_up(self) -> None:
        """Brings every node back and takes every pod away."""
        for name in NODES:
            if self.store.find("Node", "", name) is None:
                self.add_node(name)
        self.faults(*((self.now, what, name) for name in NODES for what in ("recover", "uncordon")))
        self.run_until(self.now + 1000)
        for pod in list(self.store.list("Pod")):
            self.store.evict(pod, "Evicted")
        self.run_until(self.now + 1000)


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTIONS, max_size=8), st.lists(KINDS, min_size=4, max_size=4), LATENCIES)
def test_no_room_is_lost(actions: list[tuple[int, str, str]], kinds: list[dict[str, Any]], latencies: Any) -> None:
    history = RandomActions(actions, kinds, latencies)
    history.run_until(100)
    history.clear_up()
    assert list(history.store.list("Pod")) == []
    for name in NODES:
        history.started(f"last on {name}", a_run(1), node=name, requests={"cpu": 4})
    history.run_until(history.now + 100)
    assert [pod.phase for pod in history.store.list("Pod")] == ["Succeeded", "Succeeded"]


@settings(max_examples=100, deadline=None)
@given(st.lists(ACTIONS, max_size=8), st.lists(KINDS, min_size=4, max_size=4), LATENCIES)
def test_a_history_without_a_horizon_ends(
    actions: list[tuple[int, str, str]], kinds: list[dict[str, Any]], latencies: Any
) -> None:
    history = RandomActions(actions, kinds, latencies)
    history.run_to_end()
    assert history.now < 2000
    times = [time for time, _, _ in history.log]
    assert times == sorted(times)
