from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, FAILED, PENDING, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.store.storedkinds import Key
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.nodes.containers.container import KILLED
from wavetank.nodes.containers.restarts import CrashLoop
from wavetank.nodes.kubelet import deadlines
from wavetank.nodes.kubelet.admission import FreeResources
from wavetank.nodes.kubelet.images import ImageCache, Registry
from wavetank.nodes.kubelet.jobs import JobStarts
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.kubelet.nodeless import NodelessPods
from wavetank.nodes.kubelet.podworker import Machine, PodWorker, Step
from wavetank.nodes.podmemory import PodMemory


class Kubelets:
    """The kubelets of all nodes: they start the pods that are bound to them and run them to completion.

    A pod of the first objects (a snapshot) that is already bound is kept, even if it over-commits its node; so is one
    that is created running. Any other is rejected if it does not fit: `loaded` ends the first objects. Finished pods
    leave the store, as with terminated-pod garbage collection, unless `keep_finished` or their owner counts finished
    pods.
    """

    def __init__(
        self,
        context: ActorContext,
        latency: NodeLatency | None = None,
        keep_finished: bool = False,
        sharing: bool = False,
    ) -> None:
        self._is_loaded = False
        self._store = store = context.store
        self._pods: Mapping[Key, Pod] = store.objects(Pod.group_kind)
        self._clock = context.clock
        self._latency = latency or NodeLatency()
        self._random = context.streams.stream("nodes/latency")
        self._draw_sync = drawing(self._latency.sync, self._random)
        self._draw_start = drawing(self._latency.start, self._random)
        self._draw_finish = drawing(self._latency.finish, self._random)
        self._keep_finished = keep_finished
        self._take_in = FreeResources.share if sharing else FreeResources.admit
        self._registry = Registry(self._latency, self._random)
        self._machines: dict[str, Machine] = {}
        self._workers: dict[str, PodWorker] = {}
        self.nodeless = NodelessPods()
        self._gatherings = JobStarts()
        self._deadlines = deadlines.Deadlines(self._clock, self._end_overdue)
        store.subscribe(
            NODE, added=self.node_seen, modified=lambda _, new: self.node_seen(new), deleted=self.node_deleted
        )
        store.subscribe(POD, added=self.pod_added, modified=self.pod_modified, deleted=self.pod_deleted)

    # events

    def node_seen(self, node: Node) -> None:
        """Adds a node or its new version, and starts pods that waited for it."""
        self._registry.learn(node)
        machine = self._machines.get(node.name)
        if machine is not None:
            machine.free.resize(machine.node, node)
            machine.node = node
            return
        self._machines[node.name] = Machine(node, ImageCache(node, self._registry))
        if self.nodeless:
            for pod in self.nodeless.take(node.name):
                self._arrive(pod, admitted=pod.phase == RUNNING)

    def node_deleted(self, node: Node) -> None:
        """Removes a node; its pods stay as they are and wait for it to come back."""
        machine = self._machines.pop(node.name)
        for worker in self._workers_on(machine):
            pod = self._pod_of(worker)
            if pod is None:
                continue
            self._leave(pod)
            self.nodeless.add(pod)
            if pod.deleted is not None:
                self._stop(pod)

    def loaded(self) -> None:
        """Notes that the objects of the cluster are there: pods that are created bound later may be rejected."""
        self._is_loaded = True

    def pod_added(self, pod: Pod) -> None:
        """Adds a pod that is created bound."""
        if pod.node_name and not pod.finished:
            self._arrive(pod, admitted=not self._is_loaded or pod.phase == RUNNING)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Starts a pod that was bound, stops one that is being deleted, removes one that was finished by others."""
        if not new.node_name:
            return
        if new.phase is not old.phase and new.phase in ENDS:
            if new.uid in self._workers:
                self._leave(new)
        elif not old.node_name:
            self._arrive(new, admitted=False)
        elif new.deleted is not None and new.deleted != old.deleted:
            self._stop(new)
        elif new.spec is not old.spec and new.spec.deadline_s != old.spec.deadline_s and new.uid in self._workers:
            self._deadlines.set(new)

    def pod_deleted(self, pod: Pod) -> None:
        """Removes a deleted pod."""
        if pod.uid in self._workers:
            self._leave(pod)
        elif self.nodeless:
            self.nodeless.remove(pod)

    def _stop(self, pod: Pod) -> None:
        if pod.uid in self._workers:
            self._terminate(self._workers[pod.uid], pod)
        elif pod in self.nodeless:
            self._store.discard(pod)  # as pod garbage collection does: no kubelet will remove it

    # starting

    def _arrive(self, pod: Pod, admitted: bool) -> None:
        machine = self._machines.get(pod.node_name)
        if machine is None:
            self.nodeless.add(pod)
            return
        worker = self._workers[pod.uid] = PodWorker(self, machine, pod)
        if pod.spec.deadline_s is not None:
            self._deadlines.set(pod)
        if admitted:
            worker.reserved = machine.free.reserve(pod.spec.requests)
        if machine.down:
            return
        if pod.phase == RUNNING:
            self._running(worker, pod)
        else:
            self._sync(worker)

    def _sync(self, worker: PodWorker) -> None:
        takes = self._draw_sync()
        if takes:
            self._at(worker, self._clock.now + takes, self._admit)
        else:
            self.take(worker, self._admit)

    def _admit(self, worker: PodWorker, pod: Pod) -> None:
        machine = worker.machine
        if worker.reserved is None:
            refusal = self._take_in(machine.free, machine.node, pod)
            if refusal is not None:
                self._end(pod, FAILED, *refusal)
                return
            worker.reserved = pod.spec.requests
        now = self._clock.now
        started = machine.images.pull(pod.spec.manifest, now) + self._draw_start()
        if started > now:
            self._at(worker, started, self._start)
        else:
            self._start(worker, pod)

    def _start(self, worker: PodWorker, pod: Pod) -> None:
        new = pod.copy()
        new.phase = RUNNING
        if pod.phase == PENDING:
            new.started = self._clock.now
        else:
            new.restarts += 1
        self._store.update(new)
        self._running(worker, new)

    def _running(self, worker: PodWorker, pod: Pod) -> None:
        """Runs the containers; a pod of a larger job waits for the others."""
        worker.started = self._clock.now
        run = pod.behavior
        if run is None or run.duration is None:
            return
        takes = _time_of(run, run.duration, worker.machine)
        if run.job is None or run.job.size == 1:
            self._run_for(worker, pod, takes)
        else:
            for uid in self._gatherings.arrived(run.job, worker.uid, takes):
                self._run_for(self._workers[uid], pod, self._gatherings.slowest(run.job))

    def _run_for(self, worker: PodWorker, pod: Pod, takes: Nanoseconds) -> None:
        job = pod.behavior.job if pod.behavior else None
        # endless restarts do not keep a run going
        finish, endless = self._finish, pod.spec.restart_policy == "Always"
        if job is not None and job.walltime is not None and job.walltime < takes:
            takes, finish, endless = job.walltime, self._overdue, False
        self._at(worker, self._clock.now + takes + self._draw_finish(), finish, endless)

    # ending

    def _finish(self, worker: PodWorker, pod: Pod) -> None:
        self._exited(worker, pod, pod.behavior.exit_code if pod.behavior else 0, "Error")

    def _overdue(self, worker: PodWorker, pod: Pod) -> None:
        self._end(pod, FAILED, deadlines.REASON, deadlines.MESSAGE)

    def _end_overdue(self, uid: str) -> None:
        """Ends a pod at its deadline, unless it is ending already; on a machine that is down when it is repaired."""
        worker = self._workers.get(uid)
        pod = self._pod_of(worker) if worker is not None and not worker.machine.down else None
        if worker is not None and pod is not None and pod.deleted is None:
            worker.stop()
            self.take(worker, self._overdue)

    def _exited(self, worker: PodWorker, pod: Pod, exit_code: int, reason: str) -> None:
        policy = pod.spec.restart_policy
        if policy == "Always" or (policy == "OnFailure" and exit_code):
            self._restart(worker, pod)
        elif exit_code:
            self._end(pod, FAILED, reason, f"a container exited with code {exit_code}")
        else:
            self._end(pod, SUCCEEDED, "", "")

    def _restart(self, worker: PodWorker, pod: Pod) -> None:
        worker.crash_loop = worker.crash_loop or CrashLoop()
        assert worker.started is not None
        delay = worker.crash_loop.next_delay(self._clock.now - worker.started)
        endless = pod.spec.restart_policy == "Always" or (pod.behavior is not None and pod.behavior.exit_code != 0)
        self._at(worker, self._clock.now + delay + self._draw_start(), self._start, background=endless)

    def _terminate(self, worker: PodWorker, pod: Pod) -> None:
        """Stops a pod's containers within its grace period, then removes it."""
        if worker.machine.down:
            return  # no kubelet is left to do it
        self._miss(pod)
        self._at(worker, self._stopped_at(worker, pod, self._clock.now), self._remove)

    def _stopped_at(self, worker: PodWorker, pod: Pod, since: Nanoseconds) -> Nanoseconds:
        """Returns when the containers of a pod have stopped that is being deleted `since` a time."""
        assert pod.deleted is not None
        needs = pod.behavior.termination if pod.behavior and worker.started is not None else 0
        return max(self._clock.now, min(pod.deleted, since + needs))

    def _remove(self, worker: PodWorker, pod: Pod) -> None:
        """Removes a pod whose containers have stopped; if it has finalizers, it is at least failed."""
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
        worker = self._workers.pop(pod.uid)
        if worker.timer is not None:
            worker.stop()
        if worker.reserved is not None:
            worker.machine.free.release(worker.reserved)
        if pod.spec.deadline_s is not None:
            self._deadlines.forget(pod.uid)
        self._miss(pod)

    def _miss(self, pod: Pod) -> None:
        job = pod.behavior.job if pod.behavior is not None else None
        if job is not None and job.size > 1:
            self._gatherings.left(job, pod.uid)

    # going on after a restart of the simulation

    def resume(self, pod: Pod, past: PodMemory | None) -> None:
        """Goes on with a pod of an earlier simulation; `past` is what happened to it on its node."""
        machine = self._machines.get(pod.node_name)
        if machine is None or past is None or pod.finished:
            self.pod_added(pod)
            return
        worker = self._workers[pod.uid] = PodWorker(self, machine, pod)
        worker.reserved = machine.free.reserve(pod.spec.requests)
        worker.started = past.started
        if pod.spec.deadline_s is not None:
            self._deadlines.set(pod, past.bound)
        if machine.down:
            return
        if pod.deleted is not None:
            grace = int(pod.manifest["metadata"].get("deletionGracePeriodSeconds") or 0)
            self._resume_stop(worker, pod, pod.deleted - grace * SECOND)
        elif worker.started is None:
            self._plan(worker, self._clock.now, self._admit)
        else:
            self._resume_run(worker, pod, past)

    def _resume_stop(self, worker: PodWorker, pod: Pod, since: Nanoseconds) -> None:
        """Goes on with stopping a pod that is being deleted since a time."""
        self._plan(worker, self._stopped_at(worker, pod, since), self._remove)

    def _resume_run(self, worker: PodWorker, pod: Pod, past: PodMemory) -> None:
        """Lets containers that have started go on: until they end, or are restarted if they have ended."""
        run, starts = pod.behavior, past.starts
        if run is None or run.duration is None:
            return
        takes = _time_of(run, run.duration, worker.machine)
        worker.crash_loop = CrashLoop.after(starts, takes)
        ended, endless = starts[-1] + takes, pod.spec.restart_policy == "Always"
        if ended <= self._clock.now and (endless or (pod.spec.restart_policy == "OnFailure" and run.exit_code)):
            due = ended + worker.crash_loop.next_delay(takes) + self._draw_start()
            self._plan(worker, due, self._start, background=endless or run.exit_code != 0)
        else:
            self._plan(worker, ended + self._draw_finish(), self._finish, background=endless)

    # failing machines

    def crash(self, node_name: str) -> None:
        """Stops a machine: nothing happens on it until it is repaired."""
        machine = self._machines[node_name]
        machine.down = True
        for worker in self._workers_on(machine):
            worker.stop()
            pod = self._pod_of(worker)
            if pod is not None:
                self._miss(pod)

    def repair(self, node_name: str) -> None:
        """Starts a machine again: its pods are restarted, or failed if their restart policy is Never."""
        machine = self._machines[node_name]
        machine.down = False
        for worker in self._workers_on(machine):
            self._at(worker, self._clock.now, self._resume)

    def is_down(self, node_name: str) -> bool:
        """Tells whether a machine has crashed and was not repaired."""
        machine = self._machines.get(node_name)
        return machine is not None and machine.down

    def _workers_on(self, machine: Machine) -> list[PodWorker]:
        return [worker for worker in self._workers.values() if worker.machine is machine]

    def _resume(self, worker: PodWorker, pod: Pod) -> None:
        if pod.deleted is not None:
            self._terminate(worker, pod)
        elif self._deadlines.is_over(pod):
            self._overdue(worker, pod)
        elif worker.started is None:
            self._sync(worker)
        else:
            self._exited(worker, pod, KILLED, "ContainerStatusUnknown")

    # time

    def _at(self, worker: PodWorker, due: Nanoseconds, step: Step, background: bool = False) -> None:
        """Plans the next step of a pod, which replaces any other."""
        if worker.timer is not None:
            worker.stop()
        if due == self._clock.now:
            self.take(worker, step)
        else:
            worker.step = step
            worker.timer = self._clock.at(due, worker, background=background)

    def _plan(self, worker: PodWorker, due: Nanoseconds, step: Step, background: bool = False) -> None:
        """Plans a step of a pod that has none, not earlier than now and never at once."""
        worker.step = step
        worker.timer = self._clock.at(max(due, self._clock.now), worker, background=background)

    def take(self, worker: PodWorker, step: Step) -> None:
        """Takes a step of a pod, if it still exists and has not finished."""
        worker.timer = None
        pod = self._pods.get((worker.namespace, worker.name))
        if pod is not None and pod.uid == worker.uid and pod.phase not in ENDS:
            step(worker, pod)

    def _pod_of(self, worker: PodWorker) -> Pod | None:
        pod = self._pods.get((worker.namespace, worker.name))
        return pod if pod is not None and pod.uid == worker.uid else None


def _time_of(run: PodBehavior, duration: Nanoseconds, machine: Machine) -> Nanoseconds:
    """Returns how long containers run on a machine that end by themselves."""
    return seconds(duration / SECOND + run.work_time(machine.node.speed)) if run.flops else duration


_QUEUED = "kueue.x-k8s.io/managed"  # the finalizer of a pod that is a workload of its own, or of a group


def is_counted(pod: Pod) -> bool:
    """Tells whether a finished pod has to stay: Volcano's job controller and Kueue count them."""
    metadata = pod.manifest.get("metadata") or {}
    owners = metadata.get("ownerReferences")
    if not owners:
        return _QUEUED in (metadata.get("finalizers") or ())
    return any(str(owner.get("apiVersion")).startswith("batch.volcano.sh/") for owner in owners)
