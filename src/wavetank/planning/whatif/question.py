from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.kernel.garbage import rare_collections
from wavetank.planning.simulatedcluster import ClusterOptions, SimulatedCluster
from wavetank.planning.states import state_of
from wavetank.planning.whatif.answer import FIGURES, Answer, Step, count_pods, disruptions_of
from wavetank.planning.whatif.changes import Change, Reschedule
from wavetank.results.assertions import Assertion, Finding, check_all, parse_assertion
from wavetank.snapshots.snapshot import Snapshot, snapshot_of, write_snapshot


@dataclass(frozen=True)
class Question:
    """What happens to a cluster if these changes are made, one after the other."""

    snapshot: Snapshot
    changes: Sequence[Change]
    options: ClusterOptions
    out: Path | None = None  # where the cluster after the changes is written as a snapshot

    def ask(self) -> Answer:
        """Simulates the cluster, makes the changes, and says what they did; InputError if one is not possible."""
        with rare_collections():
            return self._ask()

    def _ask(self) -> Answer:
        cluster = SimulatedCluster(self.snapshot.cluster, self.options)
        cluster.settle()
        before = state_of(cluster)
        began = cluster.clock.now + 1  # whatever is created from now on is new
        cluster.clock.run(began)
        cluster.watch.readiness.begin()
        steps = [self._step(cluster, change) for change in self.changes]
        cluster.watch.readiness.end()
        after = state_of(cluster)
        if self.out is not None:
            write_snapshot(snapshot_of(cluster.store), self.out)
        pods, moves, lost = count_pods(cluster.watch.lives.values(), began, before, after)
        return Answer(
            snapshot=", ".join(self.snapshot.cluster.sources) or "snapshot",
            scheduler=", ".join(each.name for each in self.options.schedulers),
            latency=self.options.latency.name,
            steps=steps,
            pods=pods,
            moves=moves,
            lost=lost,
            before=before,
            after=after,
            disruptions=disruptions_of(cluster.watch.readiness.counts),
            notes=list(self.snapshot.notes),
        )

    def _step(self, cluster: SimulatedCluster, change: Change) -> Step:
        begin = cluster.clock.now
        try:
            blocked = change.apply(cluster)
        except InputError as error:
            raise error if error.source else error.inside(path=change.text) from None
        cluster.settle()
        if isinstance(change, Reschedule):  # is about where pods go, not about taking them all down at once
            cluster.watch.readiness.begin()
        return Step(change.text, begin / SECOND, (cluster.clock.now - begin) / SECOND, blocked)


def parse_claims(texts: Sequence[str]) -> list[Assertion]:
    """Reads assertions about an answer: `pending == 0`, `price_per_hour < 12`."""
    return [parse_assertion(text, "--assert", FIGURES) for text in texts]


def check_answer(claims: Sequence[Assertion], answer: Answer) -> list[Finding]:
    """Returns the verdicts on assertions about an answer."""
    rows = [{"scheduler": "", **answer.figures()}]
    return check_all(claims, rows)
