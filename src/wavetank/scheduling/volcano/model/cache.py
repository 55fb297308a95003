from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.volcano import PodGroup, Queue
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import MAX_SPECS, NodeTable
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.noderesources import NodeResources
from wavetank.scheduling.volcano.model.quantities import Quantities
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.statuses import BINDING, ENDED, HOLDING, PENDING, RELEASING, status_of
from wavetank.scheduling.volcano.model.task import Request, Task, make_request

DEFAULT_QUEUE = "default"


class Cache:
    """What the scheduler knows of the cluster between sessions: one task per pod, one job per PodGroup.

    The nodes are counted twice, as in Volcano: in its own `node_resources`, and in kube-scheduler's NodeTable, which
    filters and scores read. Nodes are looked at in the order in which they were added.
    """

    def __init__(self) -> None:
        self.table = NodeTable()
        self.node_resources = NodeResources()
        self.tasks: dict[str, Task] = {}
        self.on_node: list[dict[str, Task]] = []  # by slot
        self.queues: dict[str, QueueInfo] = {}
        self._jobs: dict[str, Job] = {}
        self._ended: dict[str, list[Task]] = {}  # by job: tasks whose pods have ended and are gone
        self._nodes: dict[str, int] = {}  # slots by name, in the order of their coming
        self._ranks: IntArray | None = None
        self._classes: dict[str, PriorityClass] = {}
        self._requests: BoundedCache[PodSpec, Request] = BoundedCache(MAX_SPECS)

    # reading

    @property
    def nodes(self) -> IntArray:
        """Returns the slots of all nodes."""
        return np.fromiter(self._nodes.values(), np.int64, len(self._nodes))

    @property
    def ranks(self) -> IntArray:
        """Returns for each slot the place of its node among all names in order."""
        if self._ranks is None:
            order = sorted(self._nodes)
            self._ranks = np.zeros(len(self.table.nodes), np.int64)
            self._ranks[[self._nodes[name] for name in order]] = np.arange(len(order))
        return self._ranks

    def jobs(self) -> Iterator[Job]:
        """Yields the jobs that can be scheduled: those with a PodGroup and a queue; with their present priority."""
        default = next((each.value for each in self._classes.values() if each.global_default), 0)
        for job in self._jobs.values():
            if job.group is not None and job.queue in self.queues:
                found = self._classes.get(job.group.priority_class)
                job.priority = default if found is None else found.value
                yield job

    # nodes, queues, groups

    def set_node(self, node: Node) -> None:
        """Adds a node, or replaces it by its new version."""
        images = self.table.images
        images.outdated.clear()  # Volcano counts the other nodes with an image only at an event of the node
        self.table.set_node(node)
        images.refresh()
        slot = self._slot(node.name)
        if node.name not in self._nodes:
            self._nodes[node.name] = slot
            self._ranks = None
        self.node_resources.set_node(slot, node)

    def remove_node(self, node: Node) -> None:
        """Takes a node away; pods on it stay known."""
        self.table.remove_node(node)
        self._ranks = None
        self.node_resources.set_node(self._nodes.pop(node.name), None)

    def set_queue(self, queue: Queue) -> None:
        """Adds a queue, or replaces it by its new version."""
        self.queues[queue.name] = QueueInfo(queue, queue.created // SECOND)

    def remove_queue(self, queue: Queue) -> None:
        """Forgets a queue; its jobs wait until there is one of that name again."""
        self.queues.pop(queue.name, None)

    def set_group(self, group: PodGroup) -> None:
        """Adds a PodGroup, or replaces it by its new version."""
        self._job(f"{group.namespace}/{group.name}").set_group(group, group.created // SECOND, DEFAULT_QUEUE)

    def remove_group(self, group: PodGroup) -> None:
        """Forgets a PodGroup; its tasks stay known."""
        job = self._jobs[f"{group.namespace}/{group.name}"]
        job.group = None
        self._forget_if_empty(job)

    def set_class(self, priority_class: PriorityClass) -> None:
        """Adds a priority class, or replaces it."""
        self._classes[priority_class.name] = priority_class

    def remove_class(self, priority_class: PriorityClass) -> None:
        """Forgets a priority class."""
        self._classes.pop(priority_class.name, None)

    # pods

    def set_pod(self, pod: Pod) -> None:
        """Adds a pod, or replaces it by its new version; one assumed on a node stays there until it is bound."""
        key = f"{pod.namespace}/{pod.name}"
        known = self.tasks.get(key)
        if known is not None and _is_like(pod, known.pod) and self._renew(known, pod):
            return
        task = Task(pod, self._request(pod.spec))
        task.created = pod.created // SECOND
        if known is not None:
            if known.status == BINDING and not pod.node_name and pod.deleted is None and known.pod.uid == pod.uid:
                task.status, task.on_node, task.node = BINDING, BINDING, known.node
            self._take_out(known)
        self._put_in(task)

    def _renew(self, task: Task, pod: Pod) -> bool:
        """Takes over a version of a pod that is still where it was, or is assumed; False if it is not."""
        status = status_of(pod)
        if status == PENDING and task.status == BINDING:
            status = BINDING
        elif pod.node_name != task.node or (status in ENDED) != (task.status in ENDED):
            return False
        task.pod = pod
        placed = task.node and status not in ENDED
        if placed:
            self.table.replace_pod(pod)
        if status != task.status:
            self._restate(task, status, self._slot(task.node) if placed else -1)
        return True

    def _restate(self, task: Task, status: int, slot: int) -> None:
        if slot >= 0:
            self.node_resources.put(task, slot, -1)
        job = self._jobs.get(task.job)
        if job is not None:
            self._leave(job, task)
        task.status = task.on_node = status
        if job is not None:
            self._join(self._job(task.job), task)
        if slot >= 0:
            self.node_resources.put(task, slot, 1)

    def remove_pod(self, pod: Pod) -> None:
        """Forgets a pod; one that has ended counts for its PodGroup until the others have ended, too.

        Kubelets of a simulation remove pods that have ended at once. In a cluster they stay, and a gang of which some
        have ended is still complete.
        """
        task = self.tasks.get(f"{pod.namespace}/{pod.name}")
        if task is None:
            return
        if task.job and task.status in ENDED and pod.deleted is None:
            self._ended.setdefault(task.job, []).append(task)
        else:
            self._take_out(task)
        job = self._jobs.get(task.job)
        if job is not None and not job.has_unfinished():
            self._forget_ended(job)

    def _forget_ended(self, job: Job) -> None:
        for task in self._ended.pop(job.key, ()):
            if self.tasks.get(task.key) is task:  # else another pod has its name by now
                self._take_out(task)

    def assume(self, task: Task, node_name: str) -> None:
        """Counts a task on the node that it is being bound to."""
        self._shift(task, BINDING, node_name)

    def set_pod_anew(self, pod: Pod) -> None:
        """Reads a pod again, because what was assumed of it did not happen."""
        self._take_out(self.tasks[f"{pod.namespace}/{pod.name}"])
        self.set_pod(pod)

    def expel(self, task: Task) -> None:
        """Counts a task as releasing."""
        self._shift(task, RELEASING, task.node)

    def _shift(self, task: Task, status: int, node_name: str) -> None:
        self._take_out(task)
        task.status = task.on_node = status
        task.node = node_name
        self._put_in(task)

    def _put_in(self, task: Task) -> None:
        self.tasks[task.key] = task
        if task.node and task.status not in ENDED:
            self.table.add_pod(task.pod, task.node)
            slot = self._slot(task.node)
            self.node_resources.grow(slot + 1, len(self.node_resources.rows))
            self.node_resources.put(task, slot, 1)
            self.on_node[slot][task.key] = task
        if task.job:
            self._join(self._job(task.job), task)

    def _take_out(self, task: Task) -> None:
        del self.tasks[task.key]
        if task.node and task.status not in ENDED:
            self.table.remove_pod(task.pod.uid)
            slot = self._slot(task.node)
            self.node_resources.put(task, slot, -1)
            del self.on_node[slot][task.key]
        if task.job:
            self._leave(self._jobs[task.job], task)

    def _join(self, job: Job, task: Task) -> None:
        job.place(task)
        if task.status in HOLDING:
            job.allocated.add(task.resreq)
        if task.gated and not task.gated_by_queue:
            job.gated.add(task.resreq)

    def _leave(self, job: Job, task: Task) -> None:
        job.remove(task)
        if task.status in HOLDING:
            job.allocated.take(task.resreq)
        if task.gated and not task.gated_by_queue:
            job.gated.take(task.resreq)
        self._forget_if_empty(job)

    def _job(self, key: str) -> Job:
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = Job(key)
        return job

    def _forget_if_empty(self, job: Job) -> None:
        if job.group is None and not job.tasks:
            del self._jobs[job.key]

    def _slot(self, node_name: str) -> int:
        slot = self.table.slots[node_name]
        while len(self.on_node) <= slot:
            self.on_node.append({})
        return slot

    def _request(self, spec: PodSpec) -> Request:
        known = self._requests.get(spec)
        if known is None:
            quantities = Quantities.of(spec.requests, pods=1)
            self.node_resources.learn(quantities)
            known = self._requests.keep(spec, make_request(quantities, self.node_resources.rows), spec.is_large)
        return known


def _is_like(new: Pod, old: Pod) -> bool:
    """Returns whether two versions of a pod differ in their status at most."""
    same = new.uid == old.uid and new.spec is old.spec and new.manifest is old.manifest
    return same and new.gates == old.gates and new.priority == old.priority and new.created == old.created
