"""The status of a node, as its kubelet reports it."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import render_time

Json = dict[str, Any]

OS, ARCHITECTURE = "linux", "amd64"

# By type: the status of a healthy node, the reason and the message.
_CONDITIONS = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    "Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
}


def complete_node(document: Json, node: Node, ip: str, version: str) -> None:
    """Adds to a rendered node what its kubelet would report, unless its own status says otherwise."""
    status: Json = {**(document.get("status") or {})}
    status.setdefault("allocatable", status.get("capacity") or {})
    status.setdefault("capacity", status["allocatable"])
    status["conditions"] = _conditions(status.get("conditions") or [], node)
    if not status.get("addresses"):
        status["addresses"] = [{"type": "InternalIP", "address": ip}, {"type": "Hostname", "address": node.name}]
    if not (status.get("nodeInfo") or {}).get("kubeletVersion"):
        status["nodeInfo"] = _info(node, version)
    document["status"] = status


def _conditions(given: list[Json], node: Node) -> list[Json]:
    known = {condition.get("type"): condition for condition in given}
    ours = [_condition(kind, known.get(kind), node) for kind in _CONDITIONS]
    return [*ours, *(other for other in given if other.get("type") not in _CONDITIONS)]


def _condition(kind: str, given: Json | None, node: Node) -> Json:
    status, reason, message = _CONDITIONS[kind]
    if given and given.get("status") != status:
        return given  # stated in the object itself
    since = render_time(node.created)
    says = {"type": kind, "status": status, "lastHeartbeatTime": since, "lastTransitionTime": since}
    return {**says, "reason": reason, "message": message, **(given or {})}


def _info(node: Node, version: str) -> Json:
    machine = node.uid.replace("-", "")
    return {
        "machineID": machine,
        "systemUUID": node.uid,
        "bootID": node.uid,
        "kernelVersion": "simulated",
        "osImage": "wavetank",
        "containerRuntimeVersion": "wavetank://1",
        "kubeletVersion": version,
        "kubeProxyVersion": "",
        "operatingSystem": OS,
        "architecture": ARCHITECTURE,
    }
