from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.store.store import Key, Store
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.kernel.randomness import Streams
from wavetank.nodes.kubelet.admission import Room
from wavetank.nodes.kubelet.images import ImageCache, Registry
from wavetank.nodes.kubelet.jobs import JobStarts
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.kubelet.restarts import CrashLoop

KILLED = 137  # exit code of a container that was killed


class _Machine:
    """One node as its kubelet sees it."""

    __slots__ = ("down", "images", "node", "room")

    def __init__(self, node: Node, images: ImageCache) -> None:
        self.node = node
        self.images = images
        self.room = Room(node)
        self.down = False


class _Life:
    """One pod on its machine: what happens to it next, and when its containers started.

    It is what the clock calls when the next step is due: one object less for every pod.
    """

    __slots__ = ("crash_loop", "holds", "kubelets", "machine", "name", "namespace", "started", "step", "timer", "uid")

    def __init__(self, kubelets: Kubelets, machine: _Machine, pod: Pod) -> None:
        self.kubelets = kubelets
        self.machine = machine
        self.uid = pod.uid
        self.namespace, self.name = pod.namespace, pod.name
        self.holds: Amounts | None = None  # what it was given of the machine, once it was admitted
        self.started: Nanoseconds | None = None
        self.timer: Timer | None = None
        self.step: _Step  # for when the timer is due
        self.crash_loop: CrashLoop | None = None

    def __call__(self) -> None:
        """Takes the step that was planned."""
        self.kubelets.take(self, self.step)

    def stop(self) -> None:
        """Lets nothing more happen to the pod."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


_Step = Callable[[_Life, Pod], None]


class Kubelets:
    """All nodes of the cluster at work: they start the pods that are bound to them and see them to their end.

    A pod that is bound when it comes into the store (a snapshot of a living cluster) is kept, even if its node is
    over-committed by it; any other is refused where it does not fit. Finished pods leave the store, as
    terminated-pod garbage collection does, unless `keep_finished` or their owner counts them by looking.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        streams: Streams,
        latency: NodeLatency | None = None,
        keep_finished: bool = False,
    ) -> None:
        self._store = store
        self._pods: Mapping[Key, Pod] = store.objects(Pod.group_kind)
        self._clock = clock
        self._latency = latency or NodeLatency()
        self._random = streams.stream("nodes/latency")
        self._draw_sync = drawing(self._latency.sync, self._random)
        self._draw_start = drawing(self._latency.start, self._random)
        self._draw_finish = drawing(self._latency.finish, self._random)
        self._keep_finished = keep_finished
        self._registry = Registry(self._latency, self._random)
        self._machines: dict[str, _Machine] = {}
        self._lives: dict[str, _Life] = {}
        self._nodeless: dict[str, dict[str, Pod]] = {}  # pods bound to a node that is not there
        self._gatherings = JobStarts()
        store.subscribe(
            NODE, added=self.node_seen, modified=lambda _, new: self.node_seen(new), deleted=self.node_deleted
        )
        store.subscribe(POD, added=self.pod_added, modified=self.pod_modified, deleted=self.pod_deleted)

    # what the store tells

    def node_seen(self, node: Node) -> None:
        """Takes in a node or its new version; pods that were waiting for it begin."""
        self._registry.learn(node)
        machine = self._machines.get(node.name)
        if machine is not None:
            machine.room.resize(machine.node, node)
            machine.node = node
            return
        self._machines[node.name] = _Machine(node, ImageCache(node, self._registry))
        if self._nodeless:
            for pod in self._nodeless.pop(node.name, {}).values():
                self._arrive(pod, admitted=pod.phase == RUNNING)

    def node_deleted(self, node: Node) -> None:
        """Forgets a node; its pods stay as they are and wait for it to come back."""
        machine = self._machines.pop(node.name)
        for life in self._lives_on(machine):
            pod = self._pod_of(life)
            if pod is None:
                continue
            self._leave(pod)
            self._nodeless.setdefault(node.name, {})[pod.uid] = pod
            if pod.deleted is not None:
                self._stop(pod)

    def pod_added(self, pod: Pod) -> None:
        """Takes in a pod that comes bound into the store."""
        if pod.node_name and not pod.finished:
            self._arrive(pod, admitted=True)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Begins with a pod that was bound, stops one that is being deleted, forgets one that somebody ended."""
        if not new.node_name:
            return
        if new.phase is not old.phase and new.phase in ENDS:
            if new.uid in self._lives:
                self._leave(new)
        elif not old.node_name:
            self._arrive(new, admitted=False)
        elif new.deleted is not None and old.deleted is None:
            self._stop(new)

    def pod_deleted(self, pod: Pod) -> None:
        """Forgets a pod that is gone."""
        if pod.uid in self._lives:
            self._leave(pod)
        elif self._nodeless:
            self._nodeless.get(pod.node_name, {}).pop(pod.uid, None)

    def _stop(self, pod: Pod) -> None:
        if pod.uid in self._lives:
            self._terminate(self._lives[pod.uid], pod)
        elif pod.uid in self._nodeless.get(pod.node_name, {}):
            self._store.discard(pod)  # as pod garbage collection does: no kubelet will ever let it go

    # beginning

    def _arrive(self, pod: Pod, admitted: bool) -> None:
        machine = self._machines.get(pod.node_name)
        if machine is None:
            self._nodeless.setdefault(pod.node_name, {})[pod.uid] = pod
            return
        life = self._lives[pod.uid] = _Life(self, machine, pod)
        if admitted:
            life.holds = machine.room.take(pod.spec.requests)
        if machine.down:
            return
        if pod.phase == RUNNING:
            self._running(life, pod)
        else:
            self._sync(life)

    def _sync(self, life: _Life) -> None:
        takes = self._draw_sync()
        if takes:
            self._at(life, self._clock.now + takes, self._admit)
        else:
            self.take(life, self._admit)

    def _admit(self, life: _Life, pod: Pod) -> None:
        machine = life.machine
        if life.holds is None:
            refusal = machine.room.admit(machine.node, pod)
            if refusal is not None:
                self._end(pod, FAILED, *refusal)
                return
            life.holds = pod.spec.requests
        now = self._clock.now
        started = machine.images.pull(pod.spec.manifest, now) + self._draw_start()
        if started > now:
            self._at(life, started, self._start)
        else:
            self._start(life, pod)

    def _start(self, life: _Life, pod: Pod) -> None:
        new = pod.copy()
        new.phase = RUNNING
        if pod.phase == PENDING:
            new.started = self._clock.now
        else:
            new.restarts += 1
        self._store.update(new)
        self._running(life, new)

    def _running(self, life: _Life, pod: Pod) -> None:
        """Lets the containers run; a pod of a larger job waits for the others."""
        life.started = self._clock.now
        run = pod.behavior
        if run is None or run.duration is None:
            return
        takes = run.duration
        if run.flops:
            takes = seconds(takes / SECOND + run.work_time(life.machine.node.speed))
        if run.job is None or run.job.size == 1:
            self._run_for(life, pod, takes)
        else:
            for uid in self._gatherings.arrived(run.job, life.uid, takes):
                self._run_for(self._lives[uid], pod, self._gatherings.slowest(run.job))

    def _run_for(self, life: _Life, pod: Pod, takes: Nanoseconds) -> None:
        job = pod.behavior.job if pod.behavior else None
        # a pod that is started again and again makes no progress
        finish, endless = self._finish, pod.spec.restart_policy == "Always"
        if job is not None and job.walltime is not None and job.walltime < takes:
            takes, finish, endless = job.walltime, self._overdue, False
        self._at(life, self._clock.now + takes + self._draw_finish(), finish, endless)

    # ending

    def _finish(self, life: _Life, pod: Pod) -> None:
        self._exited(life, pod, pod.behavior.exit_code if pod.behavior else 0, "Error")

    def _overdue(self, life: _Life, pod: Pod) -> None:
        self._end(pod, FAILED, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline")

    def _exited(self, life: _Life, pod: Pod, exit_code: int, reason: str) -> None:
        policy = pod.spec.restart_policy
        if policy == "Always" or (policy == "OnFailure" and exit_code):
            self._restart(life, pod)
        elif exit_code:
            self._end(pod, FAILED, reason, f"a container exited with code {exit_code}")
        else:
            self._end(pod, SUCCEEDED, "", "")

    def _restart(self, life: _Life, pod: Pod) -> None:
        life.crash_loop = life.crash_loop or CrashLoop()
        assert life.started is not None
        delay = life.crash_loop.next_delay(self._clock.now - life.started)
        endless = pod.spec.restart_policy == "Always" or (pod.behavior is not None and pod.behavior.exit_code != 0)
        self._at(life, self._clock.now + delay + self._draw_start(), self._start, background=endless)

    def _terminate(self, life: _Life, pod: Pod) -> None:
        """Stops a pod's containers within its grace period, then removes it."""
        if life.machine.down:
            return  # nobody is there to do it
        assert pod.deleted is not None
        self._miss(pod)
        needs = pod.behavior.termination if pod.behavior and life.started is not None else 0
        due = max(self._clock.now, min(pod.deleted, self._clock.now + needs))
        self._at(life, due, self._let_go)

    def _let_go(self, life: _Life, pod: Pod) -> None:
        """Removes a pod whose containers are stopped; if finalizers keep it, it has failed at least."""
        if not (pod.manifest.get("metadata") or {}).get("finalizers"):
            self._store.delete(pod)
            return
        self._leave(pod)
        new = pod.copy()
        new.phase = FAILED
        self._store.update(new)
        self._store.discard(new)

    def _end(self, pod: Pod, phase: str, reason: str, message: str) -> None:
        self._leave(pod)
        new = pod.copy()
        new.phase, new.reason, new.message = phase, reason, message
        self._store.update(new)
        if not self._keep_finished and not is_counted(new):
            self._store.discard(new)

    def _leave(self, pod: Pod) -> None:
        life = self._lives.pop(pod.uid)
        if life.timer is not None:
            life.stop()
        if life.holds is not None:
            life.machine.room.give_back(life.holds)
        self._miss(pod)

    def _miss(self, pod: Pod) -> None:
        job = pod.behavior.job if pod.behavior is not None else None
        if job is not None and job.size > 1:
            self._gatherings.left(job, pod.uid)

    # machines that fail

    def crash(self, node_name: str) -> None:
        """Stops a machine: nothing happens on it any more until it is repaired."""
        machine = self._machines[node_name]
        machine.down = True
        for life in self._lives_on(machine):
            life.stop()
            pod = self._pod_of(life)
            if pod is not None:
                self._miss(pod)

    def repair(self, node_name: str) -> None:
        """Starts a machine again: pods that it still has are restarted, or failed if they may not be."""
        machine = self._machines[node_name]
        machine.down = False
        for life in self._lives_on(machine):
            self._at(life, self._clock.now, self._resume)

    def _lives_on(self, machine: _Machine) -> list[_Life]:
        return [life for life in self._lives.values() if life.machine is machine]

    def _resume(self, life: _Life, pod: Pod) -> None:
        if pod.deleted is not None:
            self._terminate(life, pod)
        elif life.started is None:
            self._sync(life)
        else:
            self._exited(life, pod, KILLED, "ContainerStatusUnknown")

    # time

    def _at(self, life: _Life, due: Nanoseconds, step: _Step, background: bool = False) -> None:
        """Sets the next step of a pod's life; there is only ever one."""
        if life.timer is not None:
            life.stop()
        if due == self._clock.now:
            self.take(life, step)
        else:
            life.step = step
            life.timer = self._clock.at(due, life, background=background)

    def take(self, life: _Life, step: _Step) -> None:
        """Takes a step of a pod's life, if the pod is still there and has not ended."""
        life.timer = None
        pod = self._pods.get((life.namespace, life.name))
        if pod is not None and pod.uid == life.uid and pod.phase not in ENDS:
            step(life, pod)

    def _pod_of(self, life: _Life) -> Pod | None:
        pod = self._pods.get((life.namespace, life.name))
        return pod if pod is not None and pod.uid == life.uid else None


def is_counted(pod: Pod) -> bool:
    """Tells whether a pod that has ended has to stay: Volcano's Jobs count theirs by looking at them."""
    owners = (pod.manifest.get("metadata") or {}).get("ownerReferences")
    if not owners:
        return False
    return any(str(owner.get("apiVersion")).startswith("batch.volcano.sh/") for owner in owners)
