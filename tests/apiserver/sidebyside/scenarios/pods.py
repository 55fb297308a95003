"""Pods: resizing, ephemeral containers, statuses, gates, and what may change of a running pod."""

from __future__ import annotations

import random

from tests.apiserver.sidebyside.conversing import APPLY, JSON, MERGE, PATCH, STRATEGIC, TABLE, Conversation, Document

_SIZES = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
_CONTAINER: Document = {"name": "c", "image": "i", "resources": _SIZES}
_SIDECAR: Document = {"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}
_RUNNING = {"name": "c", "image": "i", "imageID": "x", "ready": True, "restartCount": 0, "started": True}
_STARTED = "2024-01-01T00:00:00Z"


def pods(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Holds the conversation."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    _sizes(talk, path)
    _debugging(talk, path)
    _statuses(talk, path)
    _gates(talk, path)
    _specs(talk, path)
    _managers(talk, path)
    _ends(talk, path)


def _pod(name: str, **spec: object) -> Document:
    return {"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"containers": [_CONTAINER], **spec}}


def _sizes(talk: Conversation, path: str) -> None:
    policy = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    talk.ask("POST", path, _pod("guaranteed", containers=[{**_CONTAINER, "resizePolicy": policy}]))
    talk.ask("POST", path, _pod("burstable", initContainers=[_SIDECAR], containers=[{"name": "c", "image": "i"}]))
    talk.ask("POST", path, _pod("pod-level", resources=_SIZES))
    talk.ask("POST", path, _pod("windows", os={"name": "windows"}))
    for name in ("guaranteed", "burstable", "pod-level", "windows", "none"):
        one = f"{path}/{name}"
        for resources in (
            {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}},
            {"requests": {"cpu": "2"}},
            {"requests": {"memory": "512Mi"}, "limits": {"memory": "512Mi"}},
            {"limits": {"cpu": "500m"}},
            {"limits": None},
            {"requests": {"ephemeral-storage": "1Gi"}},
            {"requests": {"x.io/y": "1"}, "limits": {"x.io/y": "1"}},
            {"claims": [{"name": "x"}]},
        ):
            for kind in ("containers", "initContainers"):
                spec = {kind: [{"name": "c" if kind == "containers" else "s", "resources": resources}]}
                talk.ask("PATCH", f"{one}/resize", {"spec": spec}, {"dryRun": "All"}, content_type=STRATEGIC)
        for spec in (
            {"containers": [{"name": "c", "image": "other"}]},
            {"containers": [{"name": "new", "image": "other"}]},
            {"resources": {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}},
            {"nodeName": "n"},
            {"containers": [{"name": "c", "resizePolicy": policy}]},
        ):
            talk.ask("PATCH", f"{one}/resize", {"spec": spec}, content_type=STRATEGIC)
        talk.ask("PATCH", f"{one}/resize", {"metadata": {"labels": {"x": "y"}}}, content_type=MERGE)
        found = talk.ask("GET", f"{one}/resize").body
        talk.ask("PUT", f"{one}/resize", found)
        talk.ask("GET", f"{one}/resize", accept=TABLE)
        talk.ask("DELETE", f"{one}/resize")


def _debugging(talk: Conversation, path: str) -> None:
    one = f"{path}/debugged"
    talk.ask("POST", path, _pod("debugged"))
    talk.ask("POST", path, _pod("born-with", ephemeralContainers=[{"name": "d", "image": "i"}]))
    for container in (
        {"name": "d", "image": "busybox"},
        {"name": "d2", "image": "busybox", "targetContainerName": "c", "stdin": True, "tty": True},
        {"name": "d3", "image": "busybox", "targetContainerName": "none"},
        {"name": "d4", "image": "busybox", "ports": [{"containerPort": 80}]},
        {"name": "d5", "image": "busybox", "resources": {"requests": {"cpu": "1"}}},
        {"name": "d6", "image": "busybox", "livenessProbe": {"exec": {"command": ["x"]}}},
        {"name": "d7", "image": "busybox", "lifecycle": {"preStop": {"exec": {"command": ["x"]}}}},
        {"name": "d8", "image": "busybox", "volumeMounts": [{"name": "none", "mountPath": "/x"}]},
        {"name": "d9", "image": "busybox", "securityContext": {"privileged": True}},
        {"name": "Bad_Name", "image": "busybox"},
        {"name": "d", "image": "other"},
        {"name": "c", "image": "busybox"},
        {"image": "busybox"},
    ):
        added = {"spec": {"ephemeralContainers": [container]}}
        talk.ask("PATCH", f"{one}/ephemeralcontainers", added, content_type=STRATEGIC)
    found = talk.ask("GET", f"{one}/ephemeralcontainers").body
    found["spec"]["ephemeralContainers"] = found["spec"].get("ephemeralContainers", [])[:1]
    talk.ask("PUT", f"{one}/ephemeralcontainers", found)
    found["spec"]["containers"][0]["image"] = "other"
    talk.ask("PUT", f"{one}/ephemeralcontainers", {**found, "metadata": {"name": "debugged"}})
    talk.ask("PUT", f"{one}/ephemeralcontainers", {**found, "metadata": {"name": "other"}})
    talk.ask("PATCH", one, {"spec": {"ephemeralContainers": []}}, content_type=MERGE)
    talk.ask("GET", one)


def _statuses(talk: Conversation, path: str) -> None:
    one = f"{path}/reported"
    talk.ask("POST", path, _pod("reported", nodeName="n1"))
    for status in (
        {"phase": "Running", "startTime": _STARTED, "containerStatuses": [{**_RUNNING, "state": {"running": {}}}]},
        {"podIP": "10.9.0.5", "podIPs": [{"ip": "10.9.0.5"}], "hostIP": "10.9.0.1", "hostIPs": [{"ip": "10.9.0.1"}]},
        {"podIPs": [{"ip": "10.9.0.5"}, {"ip": "10.9.0.6"}]},
        {"podIPs": [{"ip": "x"}], "podIP": "x"},
        {"hostIPs": [{"ip": "10.9.0.2"}]},
        {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Ready", "status": "False"}]},
        {"conditions": [{"type": "x.io/gate", "status": "Odd"}]},
        {"conditions": [{"type": "PodScheduled", "status": "True", "observedGeneration": -1}]},
        {"containerStatuses": [{**_RUNNING, "name": "other", "state": {"running": {}}}]},
        {"containerStatuses": [{**_RUNNING, "state": {"terminated": {"exitCode": 1}}}]},
        {"containerStatuses": [{**_RUNNING, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "restartCount": 3}]},
        {"phase": "Failed", "reason": "Evicted", "message": "m"},
        {"phase": "Odd"},
        {"nominatedNodeName": "Bad_Name"},
        {"nominatedNodeName": "n2"},
        {"qosClass": "BestEffort"},
        {"observedGeneration": -1},
        {"observedGeneration": 5},
        {"resize": "InProgress"},
        {"resourceClaimStatuses": [{"name": "x", "resourceClaimName": "y"}]},
        {"initContainerStatuses": [{**_RUNNING, "name": "none"}]},
        {"ephemeralContainerStatuses": [{**_RUNNING, "name": "none"}]},
    ):
        talk.ask("PATCH", f"{one}/status", {"status": status}, content_type=STRATEGIC)
        talk.ask("GET", one, accept=TABLE)
    others = {"spec": {"nodeName": "x"}, "metadata": {"labels": {"s": "1"}}}
    talk.ask("PATCH", f"{one}/status", others, content_type=MERGE)
    talk.ask("PUT", f"{one}/status", _pod("reported"))
    head = {"apiVersion": "v1", "kind": "Pod"}
    applied = {**head, "status": {"conditions": [{"type": "x.io/a", "status": "True"}]}}
    talk.ask("PATCH", f"{one}/status", applied, {"fieldManager": "m"}, content_type=APPLY)
    talk.ask("DELETE", one)
    talk.ask("GET", one, accept=TABLE)
    talk.ask("DELETE", one, query={"gracePeriodSeconds": 0})


def _gates(talk: Conversation, path: str) -> None:
    one = f"{path}/gated"
    gates = [{"name": "x.io/a"}, {"name": "x.io/b"}]
    talk.ask("POST", path, _pod("gated", schedulingGates=gates, nodeSelector={"a": "b"}))
    talk.ask("POST", path, _pod("gated-node", schedulingGates=gates, nodeName="n"))
    talk.ask("POST", f"{one}/binding", {"metadata": {"name": "gated"}, "target": {"name": "n"}})
    for spec in (
        {"nodeSelector": {"a": "b", "c": "d"}},
        {"nodeSelector": {"a": "x"}},
        {"nodeSelector": None},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}}},
        {"tolerations": [{"operator": "Exists"}]},
        {"schedulingGates": [{"name": "x.io/c"}]},
        {"schedulingGates": [{"name": "x.io/b"}]},
        {"schedulingGates": []},
        {"schedulingGates": gates},
        {"nodeSelector": {"a": "b"}},
    ):
        talk.ask("PATCH", one, {"spec": spec}, content_type=MERGE)
    talk.ask("PATCH", f"{one}/status", {"status": {"conditions": None}}, content_type=MERGE)
    talk.ask("GET", one, accept=TABLE)


def _specs(talk: Conversation, path: str) -> None:
    one = f"{path}/running"
    talk.ask("POST", path, _pod("running", activeDeadlineSeconds=100, tolerations=[{"key": "a", "operator": "Exists"}]))
    for spec in (
        {"containers": [{"name": "c", "image": "other"}]},
        {"containers": [{"name": "c", "image": " "}]},
        {"containers": [{"name": "c", "image": ""}]},
        {"containers": [{"name": "c", "command": ["x"]}]},
        {"activeDeadlineSeconds": 50},
        {"activeDeadlineSeconds": 500},
        {"activeDeadlineSeconds": None},
        {"terminationGracePeriodSeconds": 1},
        {"tolerations": [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]},
        {"tolerations": []},
        {"priorityClassName": "system-node-critical"},
        {"nodeName": "n"},
        {"restartPolicy": "Never"},
        {"hostNetwork": True},
        {"volumes": [{"name": "v", "emptyDir": {}}]},
    ):
        talk.ask("PATCH", one, {"spec": spec}, content_type=STRATEGIC)
        talk.ask("PATCH", one, {"spec": spec}, {"dryRun": "All"}, content_type=MERGE)


def _managers(talk: Conversation, path: str) -> None:
    one = f"{path}/managed"
    entry: Document = {"operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "time": _STARTED}
    entry["fieldsV1"] = {"f:metadata": {"f:labels": {"f:a": {}}}}
    for name in ("m" * 129, "ü" * 65, "a\u0007b"):
        pod = _pod("managed")
        talk.ask("POST", path, {**pod, "metadata": {**pod["metadata"], "managedFields": [{**entry, "manager": name}]}})
        talk.ask("POST", path, pod, {"fieldManager": name, "dryRun": "All"})
        patch = [{"op": "replace", "path": "/metadata/managedFields/0/manager", "value": name}]
        talk.ask("PATCH", one, patch, content_type=PATCH)
    talk.ask("PATCH", one, {"metadata": {"managedFields": [{}]}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"managedFields": []}}, content_type=MERGE)


def _ends(talk: Conversation, path: str) -> None:
    one = f"{path}/ending"
    talk.ask("POST", path, _pod("ending", nodeName="n1", terminationGracePeriodSeconds=40))
    talk.ask("DELETE", one, {"gracePeriodSeconds": 30})
    talk.ask("PATCH", one, {"metadata": {"labels": {"x": "y"}}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"finalizers": ["x.io/a"]}}, content_type=MERGE)
    talk.ask("PATCH", one, {"metadata": {"deletionGracePeriodSeconds": 5}}, content_type=MERGE)
    talk.ask("DELETE", one, {"gracePeriodSeconds": 50})
    talk.ask("DELETE", one, {"gracePeriodSeconds": 10})
    talk.ask("DELETE", one, {"gracePeriodSeconds": -1})
    talk.ask("DELETE", one, {"gracePeriodSeconds": 0})
    talk.ask("GET", one, accept=JSON)
