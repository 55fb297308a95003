"""Compares the volumes that the claims of a pod get on each node."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.objects.storage import PersistentVolume, PersistentVolumeClaim
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.plugins.volumebinding.binder import PodVolumes
from wavetank.scheduling.plugins.volumebinding.plugin import VolumeBinding
from wavetank.verification.decisions.recording import Attempt


def volumes_on(cycle: Cycle, node_name: str | None) -> PodVolumes:
    """Returns the pod's volumes on a node; none if there is no node."""
    plugin = _plugin(cycle)
    if plugin is None or node_name is None:
        return PodVolumes()
    return plugin.volumes_on(cycle, cycle.table.slots[node_name])


def compared_volumes(attempt: Attempt, cycle: Cycle) -> tuple[object, object] | None:
    """Returns (recorded, ours): volumes found on each node, volumes bound, and volumes to be provisioned."""
    taken = volumes_on(cycle, attempt.taken)
    matches = {node: found for node, volumes in _found(cycle) if (found := _names(volumes.bindings))}
    ours = matches, _names(taken.bindings), {_key(claim): attempt.taken for claim, _ in taken.provisions}
    recorded = attempt.pv_matches, attempt.pv_bindings, attempt.provision
    return (recorded, ours) if any(recorded) or any(ours) else None


def _plugin(cycle: Cycle) -> VolumeBinding | None:
    return next((plugin for plugin in cycle.framework.filter if isinstance(plugin, VolumeBinding)), None)


def _found(cycle: Cycle) -> Iterable[tuple[str, PodVolumes]]:
    plugin = _plugin(cycle)
    for slot, volumes in plugin.found(cycle).items() if plugin else ():
        node = cycle.table.nodes[slot]
        if node is not None:
            yield node.name, volumes


def _names(bindings: Iterable[tuple[PersistentVolumeClaim, PersistentVolume]]) -> dict[str, str]:
    return {_key(claim): volume.name for claim, volume in bindings}


def _key(claim: PersistentVolumeClaim) -> str:
    return f"{claim.namespace}/{claim.name}"
