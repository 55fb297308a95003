"""The built-in session beside each session of Volcano's own scheduler, on the same state of the cluster."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from tests.loop.volcano.workloads import SECONDS, a_case, an_experiment_of
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import POD_GROUPS
from wavetank.kernel.clock import SCHEDULERS
from wavetank.kernel.durations import SECOND
from wavetank.loop.turns.participant import Participant
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.volcano.config.conf import VolcanoConf, parse_conf
from wavetank.scheduling.volcano.informers import follow_cluster
from wavetank.scheduling.volcano.model.cache import Cache
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.running import run_session
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import ByName
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

FEW_ORDERS, ORDERS = 12, 60  # of victims that are tried; more than the first if these differ
_POD = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+?)(/binding)?")

Done = frozenset[tuple[str, ...]]  # binds, evictions, and the phases of PodGroups


@dataclass
class Agreement:
    """How many sessions were compared, how many binds and evictions they made, and which of them differ.

    `ordered` are those that are the same only if victims are sought in another order than by name.
    """

    sessions: int = 0
    binds: int = 0
    evictions: int = 0
    ordered: int = 0
    differing: list[str] = field(default_factory=list)


class SessionComparison(Observer):
    """Runs the built-in session at each session of the real scheduler, and compares what both do.

    Volcano iterates over the pods of a node in the order of a Go map when it looks for victims. So the built-in session
    is run in several orders, one of which must give the same.
    """

    def __init__(self, conf: VolcanoConf, seconds: int) -> None:
        self.agreement = Agreement()
        self._conf = conf
        self._seconds = seconds
        self._cache, self._listers = Cache(), Listers()
        self._plugins = plugin_makers(KubePlugins(self._listers))
        self._possible: list[Done] = []
        self._done: set[tuple[str, ...]] = set()

    def join(self, context: ActorContext) -> None:
        self._store = context.store
        follow_cluster(context.store, self._cache, self._listers, lambda pod: True, lambda: None)
        for second in range(self._seconds):
            context.clock.at(second * SECOND, self._session, SCHEDULERS, background=True)

    def note(self, method: str, path: str, body: bytes) -> None:
        """Records a request of the real scheduler."""
        match = _POD.fullmatch(path)
        if match and method == "DELETE":
            self._done.add(("evict", f"{match[1]}/{match[2]}"))
        elif match and match[3] and method == "POST":
            self._done.add(("bind", f"{match[1]}/{match[2]}", msgspec.json.decode(body)["target"]["name"]))

    def _session(self) -> None:
        self._compare()
        self._done = set()
        usual = self._run(None)
        evicts = any(step[0] == "evict" for step in usual)
        first = [usual, *(self._run(Random(order)) for order in range(FEW_ORDERS if evicts else 1))]
        more = range(FEW_ORDERS, ORDERS) if len(set(first)) > 1 else ()
        self._possible = [*first, *(self._run(Random(order)) for order in more)]

    def _run(self, victims: Random | None) -> Done:
        now = self._store.clock.now
        session = Session(self._cache, self._conf, self._plugins, now=now, start=0, ties=ByName(), victims=victims)
        outcome = run_session(session)
        binds = (("bind", task.key, node) for task, node in outcome.binds)
        evictions = (("evict", task.key) for task, _ in outcome.evicts)
        phases = (("phase", key, str(status.get("phase"))) for key, status in outcome.groups.items())
        return frozenset([*binds, *evictions, *phases])

    def _compare(self) -> None:
        """Compares the session of a second ago."""
        if not self._possible:
            return
        groups = {f"{each.namespace}/{each.name}": each for each in self._store.list(POD_GROUPS)}
        known = {step[1] for step in self._possible[0] if step[0] == "phase"}
        phases = {("phase", key, _phase(groups[key])) for key in known & groups.keys()}
        gone = {step for done in self._possible for step in done if step[0] == "phase" and step[1] not in groups}
        real = frozenset(self._done | phases)
        agreed = [number for number, done in enumerate(self._possible) if done - gone == real]
        counts = Counter(step[0] for step in real)
        total = self.agreement
        total.sessions += 1
        total.binds, total.evictions = total.binds + counts["bind"], total.evictions + counts["evict"]
        total.ordered += bool(agreed) and agreed[0] > 0
        if not agreed:
            ours, second = self._possible[0] - gone, self._store.clock.now // SECOND - 1
            total.differing.append(f"{second} s: built-in {sorted(ours - real)}, real {sorted(real - ours)}")


def _phase(group: Resource) -> str:
    return str((group.manifest.get("status") or {}).get("phase"))


def compare_sessions(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Agreement:
    """Runs Volcano's own scheduler on a random workload, and the built-in session at each of its sessions."""
    case = a_case(seed)
    experiment = an_experiment_of(case, folder)
    comparison = SessionComparison(parse_conf(json.dumps(case.conf)), int(SECONDS))
    answer = Participant._answer

    def note(self: Participant, listener: Any, connection: Any, request: Any) -> None:
        comparison.note(request.method, request.path, request.body)
        answer(self, listener, connection, request)

    with monkeypatch.context() as patched:
        patched.setattr(Participant, "_answer", note)
        Simulation(experiment.setting(experiment.schedulers[1]), 1, (comparison,)).run()
    return comparison.agreement
