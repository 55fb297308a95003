from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.podmemory import NodeMemory, PodMemory
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.simulation.served.state.records import Actors, Written, make_again
from wavetank.simulation.served.state.statefolder import KeptState
from wavetank.simulation.served.volumes import Volumes


def restore_objects(store: Store, kept: KeptState) -> None:
    """Fills a store with the objects that were kept; InputError if one of them cannot be read any more."""
    store.restore([_made(each, store) for each in kept.objects], kept.version, kept.reserved)


def _made(kept: Written, store: Store) -> Resource:
    try:
        return make_again(kept, store.specs)
    except InputError as error:
        place = f"{kept.table} {kept.namespace}/{kept.name}"
        raise error.inside(path=place, source="--state") from None


def resume_volumes(kept: KeptState, store: Store, volumes: Volumes) -> None:
    """Fills volumes with the files that were kept; of a volume that several pods share, the newest ones count."""
    for each in sorted(kept.objects, key=lambda each: each.version):
        files = each.pod.memory.volumes if each.pod is not None and each.pod.memory is not None else None
        pod = store.find(each.table, each.namespace, each.name) if files else None
        if files and isinstance(pod, Pod):
            volumes.restore(pod, files)


def resume_nodes(
    kept: KeptState, store: Store, reports: KubeletReports, crashes: CrashLoopReporter, kubelets: Kubelets
) -> None:
    """Lets simulated kubelets go on with the nodes and pods that were kept."""
    for each in kept.objects:
        node = store.find(each.table, each.namespace, each.name)
        if each.table == NODE and isinstance(node, Node):
            memory = each.node or NodeMemory()
            reports.resume_node(node, memory.address)
            kubelets.node_seen(node)
            if memory.down:
                kubelets.crash(node.name)
    for each in kept.objects:
        pod = store.find(each.table, each.namespace, each.name)
        if each.table == POD and isinstance(pod, Pod):
            _resume_pod(pod, each.pod.memory if each.pod else None, reports, crashes, kubelets)


def _resume_pod(
    pod: Pod, past: PodMemory | None, reports: KubeletReports, crashes: CrashLoopReporter, kubelets: Kubelets
) -> None:
    if past is not None:
        reports.resume_pod(pod, past)
        waits = past.exits.get(pod.restarts) is not None
        if pod.phase == RUNNING and past.starts and not waits and not kubelets.is_down(pod.node_name):
            crashes.resume(pod, past.starts[-1])
    kubelets.resume(pod, past)


def actors_of(reports: KubeletReports | None, kubelets: Kubelets | None, volumes: Volumes | None) -> Actors:
    """Returns where to ask what simulated kubelets know of pods and nodes."""
    if reports is None or kubelets is None or volumes is None:
        return Actors()

    def of_pod(pod: Pod) -> PodMemory | None:
        memory = reports.memory_of(pod)
        if memory is not None and memory.containers is not None:
            memory.volumes = volumes.kept_of(pod)
        return memory

    def of_node(name: str) -> NodeMemory:
        return NodeMemory(reports.address_of(name), kubelets.is_down(name))

    return Actors(of_pod, of_node)
