"""A World: what actors share, and the order in which they are called."""

from __future__ import annotations

from tests.simulation.experiments import an_experiment
from tests.support.objects import node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import NEWEST
from wavetank.experiments.recording import make_recorder, record
from wavetank.kernel.durations import SECOND
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.scheduling.named import find_scheduler
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation
from wavetank.simulation.world import World


class Phases(Observer):
    """Notes every change of a pod's node or phase, with its time, and what the run calls it with."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, str, str]] = []
        self.schedulers: list[str] = []
        self.end: int | None = None

    def join(self, context: ActorContext) -> None:
        self._clock = context.clock
        context.store.subscribe(POD, modified=self._modified)

    def _modified(self, old: Pod, new: Pod) -> None:
        self.seen.append((self._clock.now / SECOND, new.node_name, new.phase))

    def attached(self, schedulers) -> None:
        self.schedulers = [name for name, _ in schedulers]

    def ended(self, time) -> None:
        self.end = time


def test_all_actors_share_one_context() -> None:
    world = World(NEWEST, seed=3)
    assert (world.context.store, world.context.clock) == (world.store, world.clock)
    assert (world.context.version, world.context.streams.seed) == (NEWEST, 3)


def test_a_few_lines_make_a_cluster_whose_pods_run() -> None:
    world, phases = World(NEWEST), Phases()
    phases.join(world.context)
    Kubelets(world.context, keep_finished=True)
    world.create([node_manifest("n")])
    world.attach([find_scheduler("default", NEWEST)])
    world.create([pod_manifest("p")])
    world.run()
    assert phases.seen == [(0, "n", "Pending"), (0, "n", "Running")]
    assert [name for name, _ in world.schedulers] == ["default"]


def test_actors_are_called_in_the_order_in_which_they_joined() -> None:
    world, called = World(NEWEST), []
    for name in ("first", "second", "third"):
        world.store.subscribe(NODE, added=lambda new, name=name: called.append(name))
    world.create([node_manifest("n")])
    assert called == ["first", "second", "third"]


def test_an_observer_changes_nothing_and_hears_of_schedulers_and_the_end() -> None:
    workload = {"generator": {"kind": "burst", "pods": 3, "duration": 10}}
    experiment = an_experiment({"cluster": {"nodes": [{"count": 1, "cpu": 4, "memory": "8Gi"}]}, "workload": workload})
    setting = experiment.setting(experiment.schedulers[0])
    phases, recorder = Phases(), make_recorder(setting)
    simulation = Simulation(setting, 1, (phases, recorder))
    simulation.run()
    alone = record(setting, 1)
    assert [(row.name, row.scheduled, row.finished) for row in recorder.rows] == [
        (row.name, row.scheduled, row.finished) for row in alone.rows
    ]
    assert phases.schedulers == ["default"]
    assert phases.end == recorder.end == alone.end == 10 * SECOND
    assert simulation.attempts == 3
