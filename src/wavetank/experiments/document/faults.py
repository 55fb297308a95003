"""The faults of an experiment: {at: 10m, fail: node-3, for: 5m}."""

from __future__ import annotations

from collections.abc import Iterator

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import FAULT
from wavetank.nodes.faults import CORDON, DRAIN, FAIL, RECOVER, UNCORDON, Fault
from wavetank.workloads.cluster import Cluster

_ACTIONS = (FAIL, RECOVER, CORDON, UNCORDON, DRAIN)
_UNDONE_BY = {FAIL: RECOVER, CORDON: UNCORDON, DRAIN: UNCORDON}


def parse_faults(value: object, cluster: Cluster, path: str) -> tuple[Fault, ...]:
    """Reads faults; the nodes that they name must be in the cluster."""
    if value == []:
        return ()
    nodes = {str(manifest["metadata"]["name"]) for manifest in cluster.manifests if manifest.get("kind") == "Node"}
    faults = [
        fault for i, item in enumerate(fields.items(value, path)) for fault in _faults(item, nodes, f"{path}[{i}]")
    ]
    return tuple(sorted(faults, key=lambda fault: fault.at))


def _faults(fault: object, nodes: set[str], path: str) -> Iterator[Fault]:
    given = fields.mapping(fault, path, FAULT)
    actions = [action for action in _ACTIONS if action in given]
    if len(actions) != 1 or "at" not in given:
        raise InputError(f"expected `at` and exactly one of {', '.join(_ACTIONS)}", path=path)
    action = actions[0]
    begin = fields.duration(given["at"], f"{path}.at")
    if "for" in given and action not in _UNDONE_BY:
        raise InputError(f"`for` goes with {', '.join(_UNDONE_BY)}", path=f"{path}.for")
    names = given[action] if isinstance(given[action], list) else [given[action]]
    for item in fields.items(names, f"{path}.{action}"):
        name = fields.text(item, f"{path}.{action}")
        if name not in nodes:
            raise InputError(f"there is no node {name!r:.60} in the cluster", path=f"{path}.{action}")
        yield Fault(begin, action, name)
        if "for" in given:
            yield Fault(begin + fields.duration(given["for"], f"{path}.for"), _UNDONE_BY[action], name)
