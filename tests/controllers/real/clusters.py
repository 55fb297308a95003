"""A cluster with its controllers, built-in or the real kube-controller-manager, driven by a script in virtual time."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.releases import SERVED
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.processes.controllermanager import ManagerAudit, launch_manager
from wavetank.loop.processes.definition import ManagerDefinition
from wavetank.loop.turns.lockstep import Lockstep
from wavetank.loop.turns.participant import Participant
from wavetank.loop.turns.waiting import WaitingPods
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.workloads.open import open_cluster

Document = dict[str, Any]

PACKAGE, VERSION = "kube-controller-manager", "v1.35.8"
WORKLOADS = (
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
)
_NODE = """
apiVersion: v1
kind: Node
metadata: {{name: n{i}, labels: {{kubernetes.io/hostname: n{i}}}}}
status: {{capacity: &r {{cpu: "32", memory: 64Gi, pods: "110"}}, allocatable: *r}}
"""


def real_manager() -> str:
    """Returns the executable of the real program; skips where it has not been built."""
    try:
        return Cache().find(PACKAGE, VERSION).file
    except InputError as error:
        pytest.skip(str(error))


class Cluster:
    """Three nodes with kubelets and a scheduler, at time 0; requests are made through the API."""

    def __init__(self, controllers: Collection[str], folder: Path) -> None:
        nodes = folder / "nodes.yaml"
        nodes.write_text("---".join(_NODE.format(i=i) for i in (1, 2, 3)))
        schedulers = parse_entries([entry_of("default")], folder, SERVED.version)[0].schedulers
        setting = ServedSetting(open_cluster([nodes]), schedulers, True, frozenset(controllers), start=0)
        self._served = ServedCluster(setting, lambda token: None)
        self.clock, self.store = self._served.clock, self._served.store

    @property
    def served(self) -> ServedCluster:
        return self._served

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, kind: str = "") -> Any:
        """Makes a request; returns the document that is answered."""
        headers = {"content-type": kind or "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        path, _, query = path.partition("?")
        pairs = tuple((key, value) for key, _, value in (part.partition("=") for part in query.split("&") if part))
        answer = self._served.api.handle(Request(method, path, pairs, headers, sent))
        assert isinstance(answer, Response)
        return json.loads(answer.body)

    def merge(self, path: str, patch: Mapping[str, Any]) -> Any:
        return self.ask("PATCH", path, patch, "application/merge-patch+json")

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        self.clock.run(self.clock.now + round(seconds * SECOND))


@contextmanager
def built_in(controllers: Collection[str] = WORKLOADS) -> Iterator[Cluster]:
    """Gives a cluster with controllers of ours."""
    with tempfile.TemporaryDirectory() as folder:
        yield Cluster(controllers, Path(folder))


@contextmanager
def managed(controllers: Collection[str] = WORKLOADS, helped: Collection[str] = ()) -> Iterator[Cluster]:
    """Gives a cluster whose controllers are the real ones, in lockstep; `helped` are others, of ours."""
    definition = ManagerDefinition(PACKAGE, VERSION, real_manager(), tuple(controllers), ("-v=1",))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Cluster(helped, folder)
        lockstep = Lockstep(cluster.clock)
        participant = Participant(
            cluster.clock,
            cluster.served.api.handle,
            WaitingPods(cluster.store, ()),
            ManagerAudit(cluster.store),
            lambda end: 0,
            lockstep.wake,
            own_timers=True,
        )
        try:
            launch_manager(definition, participant, folder / "manager", 1)
            lockstep.begin([participant])
            lockstep.settle()
            lockstep.open()
            yield cluster
        finally:
            participant.close()
