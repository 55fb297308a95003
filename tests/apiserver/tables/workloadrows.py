"""Objects of core, apps, batch and autoscaling with the rows that show them."""

from __future__ import annotations

from typing import Any

THEN = "2023-12-31T23:59:00Z"
BEFORE = "2023-12-31T23:00:00Z"
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}, {"name": "d", "image": "j"}]}}
SELECTOR = {"matchLabels": {"a": "b"}}

METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}},
    {"type": "Pods", "pods": {"target": {"averageValue": "5"}}},
    {"type": "External", "external": {"target": {"averageValue": "5"}}},
]

WORKLOADS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("ConfigMap", {"data": {"a": "1"}, "binaryData": {"b": "MQ=="}}, ["x", 2, "60s"]),
    ("Secret", {"type": "Opaque", "data": {"a": "MQ=="}}, ["x", "Opaque", 1, "60s"]),
    ("Namespace", {"status": {"phase": "Active"}}, ["x", "Active", "60s"]),
    ("ServiceAccount", {}, ["x", "60s"]),
    (
        "Node",
        {
            "metadata": {"labels": {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a"}},
            "spec": {"unschedulable": True},
            "status": {
                "conditions": [{"type": "Ready", "status": "False"}],
                "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
                "nodeInfo": {"kubeletVersion": "v1.35.8", "osImage": "os"},
            },
        },
        [
            "x",
            "NotReady,SchedulingDisabled",
            "a,b",
            "60s",
            "v1.35.8",
            "10.0.0.1",
            "<none>",
            "os",
            "<unknown>",
            "<unknown>",
        ],
    ),
    (
        "Node",
        {"spec": {}},
        ["x", "Unknown", "<none>", "60s", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
    ),
    (
        "ResourceQuota",
        {"status": {"hard": {"pods": "5", "limits.cpu": "2", "cpu": "1"}, "used": {"pods": "1", "limits.cpu": "1"}}},
        ["x", "cpu: 0/1, pods: 1/5", "limits.cpu: 1/2", "60s"],
    ),
    (
        "Event",
        {
            "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
            "type": "Normal",
            "reason": "R",
            "message": " m\n",
            "source": {"component": "kubelet", "host": "n1"},
            "firstTimestamp": BEFORE,
            "lastTimestamp": THEN,
            "count": 3,
        },
        ["60s", "Normal", "R", "pod/p", "spec", "kubelet, n1", "m", "60m", 3, "x"],
    ),
    (
        "Event.events.k8s.io",
        {
            "apiVersion": "events.k8s.io/v1",
            "regarding": {"kind": "Node"},
            "type": "Warning",
            "reason": "R",
            "note": "n",
            "eventTime": "2023-12-31T23:00:00.000000Z",
            "reportingController": "s",
            "series": {"count": 7, "lastObservedTime": "2023-12-31T23:59:00.000000Z"},
        },
        ["60s", "Warning", "R", "node", "", "s", "n", "60m", 7, "x"],
    ),
    ("PodTemplate", {"template": TEMPLATE}, ["x", "c,d", "i,j", "<none>"]),
    (
        "ReplicationController",
        {"spec": {"replicas": 2, "selector": {"a": "b"}, "template": TEMPLATE}, "status": {"replicas": 1}},
        ["x", 2, 1, 0, "60s", "c,d", "i,j", "a=b"],
    ),
    (
        "ReplicaSet.apps",
        {"spec": {"replicas": 2, "selector": SELECTOR, "template": TEMPLATE}, "status": {"readyReplicas": 1}},
        ["x", 2, 0, 1, "60s", "c,d", "i,j", "a=b"],
    ),
    (
        "Deployment.apps",
        {"spec": {"replicas": 2, "selector": SELECTOR, "template": TEMPLATE}, "status": {"updatedReplicas": 1}},
        ["x", "0/2", 1, 0, "60s", "c,d", "i,j", "a=b"],
    ),
    (
        "StatefulSet.apps",
        {"spec": {"replicas": 2, "template": TEMPLATE}, "status": {"readyReplicas": 1}},
        ["x", "1/2", "60s", "c,d", "i,j"],
    ),
    (
        "DaemonSet.apps",
        {
            "spec": {"selector": SELECTOR, "template": TEMPLATE},
            "status": {"desiredNumberScheduled": 3, "numberReady": 2},
        },
        ["x", 3, 0, 2, 0, 0, "<none>", "60s", "c,d", "i,j", "a=b"],
    ),
    (
        "Job.batch",
        {"spec": {"parallelism": 3, "template": TEMPLATE}, "status": {"succeeded": 1, "startTime": BEFORE}},
        ["x", "Running", "1/1 of 3", "60m", "60s", "c,d", "i,j", "<none>"],
    ),
    (
        "Job.batch",
        {"spec": {"completions": 3}, "status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
        ["x", "Suspended", "0/3", "", "60s", "", "", "<none>"],
    ),
    (
        "CronJob.batch",
        {
            "spec": {"schedule": "* * * * *", "suspend": False, "jobTemplate": {"spec": {"template": TEMPLATE}}},
            "status": {"active": [{}, {}], "lastScheduleTime": BEFORE},
        },
        ["x", "* * * * *", "<none>", "False", 2, "60m", "60s", "c,d", "i,j", "<none>"],
    ),
    (
        "ControllerRevision.apps",
        {
            "metadata": {
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "controller": True}]
            },
            "revision": 4,
        },
        ["x", "daemonset.apps/d", 4, "60s"],
    ),
    ("Scale.autoscaling", {"spec": {"replicas": 3}, "status": {"replicas": 2}}, ["x", 3, 2, "60s"]),
    (
        "HorizontalPodAutoscaler.autoscaling",
        {
            "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "d"}, "maxReplicas": 4, "metrics": METRICS},
            "status": {
                "currentReplicas": 2,
                "currentMetrics": [{"type": "Resource", "resource": {"current": {"averageUtilization": 7}}}],
            },
        },
        ["x", "Deployment/d", "cpu: 7%/80%, <unknown>/5 + 1 more...", "<unset>", 4, 2, "60s"],
    ),
    (
        "HorizontalPodAutoscaler.autoscaling",
        {
            "apiVersion": "autoscaling/v1",
            "spec": {"scaleTargetRef": {}, "minReplicas": 1, "maxReplicas": 4, "targetCPUUtilizationPercentage": 50},
        },
        ["x", "/", "cpu: <unknown>/50%", "1", 4, 0, "60s"],
    ),
]
