"""What makes two pods alike for a profile: the same answers of all its plugins on the same nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping

from wavetank.cluster.fields.labels import labels_key
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.sortedjson import encode_sorted
from wavetank.scheduling.config import InterPodAffinityArgs, PluginArgs, PodTopologySpreadArgs

Sign = Callable[[Pod], Hashable]  # None for a pod that cannot be compared with others


def signer(plugins: Collection[str], args: Mapping[str, PluginArgs]) -> Sign | None:
    """Returns what signs pods for these filters and scores; None if one of them cannot tell what it depends on."""
    parts = dict(_PARTS)
    spread, affinity = args.get("PodTopologySpread"), args.get("InterPodAffinity")
    if isinstance(spread, PodTopologySpreadArgs) and (spread.defaulting_type == "System" or spread.default_constraints):
        del parts["PodTopologySpread"]
    if isinstance(affinity, InterPodAffinityArgs) and affinity.ignore_preferred_terms_of_existing_pods:
        parts["InterPodAffinity"] = lambda pod: None if pod.spec.pod_affinity else ()
    if not parts.keys() >= set(plugins):
        return None
    return _joined([parts[name] for name in plugins])


def _joined(parts: Collection[Sign]) -> Sign:
    def sign(pod: Pod) -> Hashable:
        found = tuple(part(pod) for part in parts)
        return None if None in found else (pod.scheduler_name, *found)

    return sign


def _requests(pod: Pod) -> Hashable:
    return frozenset(pod.spec.requests.items())


def _volumes(pod: Pod) -> Hashable:
    """Leaves out what is the pod's own business: names, and volumes of configuration and secrets."""
    volumes = pod.spec.manifest.get("volumes") or ()
    sources = [{field: value for field, value in volume.items() if field != "name"} for volume in volumes]
    kept = [source for source in sources if not source.keys() & {"configMap", "secret"}]
    return tuple(sorted(encode_sorted(source) for source in kept))


_PARTS: Mapping[str, Sign] = {
    "NodeUnschedulable": lambda pod: pod.spec.tolerations,
    "NodeName": lambda pod: pod.node_name,
    "TaintToleration": lambda pod: pod.spec.tolerations,
    "NodeAffinity": lambda pod: pod.spec.node_affinity,
    "NodePorts": lambda pod: frozenset(port for _, _, port in pod.spec.ports),
    "NodeResourcesFit": _requests,
    "NodeResourcesBalancedAllocation": _requests,
    "VolumeRestrictions": _volumes,
    "NodeVolumeLimits": _volumes,
    "VolumeBinding": _volumes,
    "VolumeZone": _volumes,
    "PodTopologySpread": lambda pod: None if pod.spec.spread else (),
    "InterPodAffinity": lambda pod: None if pod.spec.pod_affinity else labels_key(pod.labels),
    "DynamicResources": lambda pod: None if pod.spec.manifest.get("resourceClaims") else (),
    "ImageLocality": lambda pod: frozenset(pod.spec.images),
    "NodeDeclaredFeatures": lambda pod: (),
}
