"""One row for every printed kind: what it shows of an object."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.tables.columns import column_definitions
from wavetank.apiserver.tables.printers import PRINTERS
from wavetank.apiserver.tables.table import columns, row, table_of_list

NOW = 1_704_067_200.0  # 2024-01-01T00:00:00Z
THEN = "2023-12-31T23:59:00Z"
BEFORE = "2023-12-31T23:00:00Z"
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}, {"name": "d", "image": "j"}]}}
SELECTOR = {"matchLabels": {"a": "b"}}


def test_every_printer_has_columns_and_every_column_a_printer() -> None:
    assert PRINTERS.keys() == column_definitions().keys() - {""}


def test_every_served_kind_fills_its_columns() -> None:
    for kind in KindTable.builtin():
        cells = row(kind.table, {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {"name": "x"}}, NOW)[
            "cells"
        ]
        spare = 1 if kind.kind == "IPAddress" else 0  # whose age has no column upstream
        assert len(cells) == len(columns(kind.table)) + spare, kind.table


def object_of(fields: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "x", "creationTimestamp": THEN, **fields.get("metadata", {})}
    return {"kind": "X", **fields, "metadata": metadata}


METRICS = [
    {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}},
    {"type": "Pods", "pods": {"target": {"averageValue": "5"}}},
    {"type": "External", "external": {"target": {"averageValue": "5"}}},
]

CASES: list[tuple[str, dict[str, Any], list[Any]]] = [
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
    (
        "Service",
        {
            "spec": {
                "type": "LoadBalancer",
                "clusterIPs": ["10.0.0.1"],
                "ports": [{"port": 80, "protocol": "TCP", "nodePort": 30080}, {"port": 53, "protocol": "UDP"}],
            },
            "status": {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}, {"hostname": "h"}]}},
        },
        ["x", "LoadBalancer", "10.0.0.1", "9.9.9.9,h", "80:30080/TCP,53/UDP", "60s", "<none>"],
    ),
    (
        "Service",
        {"spec": {"type": "LoadBalancer", "selector": {"a": "b"}}},
        ["x", "LoadBalancer", "<none>", "<pending>", "<none>", "60s", "a=b"],
    ),
    (
        "Service",
        {"spec": {"type": "ExternalName", "externalName": "e.org"}},
        ["x", "ExternalName", "<none>", "e.org", "<none>", "60s", "<none>"],
    ),
    (
        "Endpoints",
        {"subsets": [{"addresses": [{"ip": f"10.0.0.{n}"} for n in range(5)], "ports": [{"port": 80}]}]},
        ["x", "10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 2 more...", "60s"],
    ),
    ("Endpoints", {"subsets": [{"addresses": [{"ip": "::1"}], "ports": [{"port": 1}]}]}, ["x", "[::1]:1", "60s"]),
    ("Endpoints", {}, ["x", "<none>", "60s"]),
    (
        "EndpointSlice.discovery.k8s.io",
        {"addressType": "IPv4", "ports": [{"port": 80}, {"name": "a"}, {}], "endpoints": [{"addresses": ["10.0.0.1"]}]},
        ["x", "IPv4", "80,a,*", "10.0.0.1", "60s"],
    ),
    ("EndpointSlice.discovery.k8s.io", {"addressType": "IPv6"}, ["x", "IPv6", "<unset>", "<unset>", "60s"]),
    (
        "Ingress.networking.k8s.io",
        {"spec": {"rules": [{"host": h} for h in "abcd"], "tls": [{}], "ingressClassName": "nginx"}},
        ["x", "nginx", "a,b,c + 1 more...", "", "80, 443", "60s"],
    ),
    ("Ingress.networking.k8s.io", {"spec": {}}, ["x", "<none>", "*", "", "80", "60s"]),
    (
        "IngressClass.networking.k8s.io",
        {"spec": {"controller": "c", "parameters": {"apiGroup": "g", "kind": "K", "name": "n"}}},
        ["x", "c", "K.g/n", "60s"],
    ),
    ("NetworkPolicy.networking.k8s.io", {"spec": {"podSelector": SELECTOR}}, ["x", "a=b", "60s"]),
    (
        "ServiceCIDR.networking.k8s.io",
        {"spec": {"cidrs": ["10.0.0.0/16", "fd00::/112"]}},
        ["x", "10.0.0.0/16,fd00::/112", "60s"],
    ),
    (
        "IPAddress.networking.k8s.io",
        {"spec": {"parentRef": {"resource": "services", "namespace": "n", "name": "s"}}},
        ["x", "services/n/s", "60s"],
    ),
    (
        "PersistentVolume",
        {
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "claimRef": {"namespace": "n", "name": "c"},
                "storageClassName": "s",
                "volumeMode": "Filesystem",
            },
            "status": {"phase": "Bound"},
        },
        ["x", "1Gi", "RWO,RWX", "Retain", "Bound", "n/c", "s", "<unset>", "", "60s", "Filesystem"],
    ),
    (
        "PersistentVolumeClaim",
        {
            "metadata": {"deletionTimestamp": THEN},
            "spec": {"volumeName": "v", "volumeAttributesClassName": "gold"},
            "status": {"phase": "Bound", "capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOncePod"]},
        },
        ["x", "Terminating", "v", "2Gi", "RWOP", "", "gold", "60s", "<unset>"],
    ),
    (
        "PersistentVolumeClaim",
        {"spec": {"resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}},
        ["x", "Pending", "", "", "", "", "<unset>", "60s", "<unset>"],
    ),
    (
        "StorageClass.storage.k8s.io",
        {"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "p"},
        ["x (default)", "p", "Delete", "Immediate", False, "60s"],
    ),
    ("VolumeAttributesClass.storage.k8s.io", {"driverName": "d"}, ["x", "d", "60s"]),
    (
        "VolumeAttachment.storage.k8s.io",
        {
            "spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
            "status": {"attached": True},
        },
        ["x", "a", "v", "n", True, "60s"],
    ),
    ("CSINode.storage.k8s.io", {"spec": {"drivers": [{}]}}, ["x", 1, "60s"]),
    (
        "CSIDriver.storage.k8s.io",
        {
            "spec": {
                "attachRequired": False,
                "tokenRequests": [{"audience": "a"}, {"audience": "b"}],
                "volumeLifecycleModes": ["Ephemeral"],
            }
        },
        ["x", False, False, False, "a,b", False, "Ephemeral", "60s"],
    ),
    ("CSIDriver.storage.k8s.io", {"spec": {}}, ["x", True, False, False, "<unset>", False, "<none>", "60s"]),
    (
        "PodDisruptionBudget.policy",
        {"spec": {"minAvailable": 0, "maxUnavailable": "50%"}, "status": {"disruptionsAllowed": 2}},
        ["x", "0", "50%", 2, "60s"],
    ),
    ("PodDisruptionBudget.policy", {"spec": {}}, ["x", "N/A", "N/A", 0, "60s"]),
    (
        "PriorityClass.scheduling.k8s.io",
        {"value": 7, "globalDefault": True, "preemptionPolicy": "Never"},
        ["x", 7, True, "60s", "Never"],
    ),
    ("RuntimeClass.node.k8s.io", {"handler": "h"}, ["x", "h", "60s"]),
    ("Lease.coordination.k8s.io", {"spec": {"holderIdentity": "me"}}, ["x", "me", "60s"]),
    (
        "RoleBinding.rbac.authorization.k8s.io",
        {
            "roleRef": {"kind": "Role", "name": "r"},
            "subjects": [
                {"kind": "User", "name": "u"},
                {"kind": "User", "name": "v"},
                {"kind": "Group", "name": "g"},
                {"kind": "ServiceAccount", "namespace": "n", "name": "s"},
                {"kind": "Other", "name": "o"},
            ],
        },
        ["x", "Role/r", "60s", "u, v", "g", "n/s"],
    ),
    ("Role.rbac.authorization.k8s.io", {}, ["x", THEN]),
    (
        "CertificateSigningRequest.certificates.k8s.io",
        {
            "spec": {"signerName": "s", "username": "u", "expirationSeconds": 3600},
            "status": {"conditions": [{"type": "Approved"}], "certificate": "MQ=="},
        },
        ["x", "60s", "s", "u", "60m", "Approved,Issued"],
    ),
    ("ValidatingWebhookConfiguration.admissionregistration.k8s.io", {"webhooks": [{}, {}]}, ["x", 2, "60s"]),
    (
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
        {"spec": {"validations": [{}], "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}},
        ["x", 1, "v1/ConfigMap", "60s"],
    ),
    (
        "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
        {"spec": {"policyName": "p", "paramRef": {"name": "c"}}},
        ["x", "p", "*/c", "60s"],
    ),
    (
        "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
        {"spec": {"policyName": "p", "paramRef": {"selector": SELECTOR}}},
        [
            "x",
            "p",
            "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}",
            "60s",
        ],
    ),
    (
        "FlowSchema.flowcontrol.apiserver.k8s.io",
        {
            "spec": {
                "priorityLevelConfiguration": {"name": "l"},
                "matchingPrecedence": 9,
                "distinguisherMethod": {"type": "ByUser"},
            },
            "status": {"conditions": [{"type": "Dangling", "status": "False"}]},
        },
        ["x", "l", 9, "ByUser", "60s", "False"],
    ),
    (
        "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io",
        {
            "spec": {
                "type": "Limited",
                "limited": {
                    "nominalConcurrencyShares": 5,
                    "limitResponse": {"queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}},
                },
            }
        },
        ["x", "Limited", 5, 64, 6, 50, "60s"],
    ),
    (
        "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io",
        {"spec": {"type": "Exempt"}},
        ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "60s"],
    ),
    (
        "ResourceClaim.resource.k8s.io",
        {"status": {"allocation": {}, "reservedFor": [{}]}},
        ["x", "allocated,reserved", "60s"],
    ),
    ("ResourceClaim.resource.k8s.io", {"metadata": {"deletionTimestamp": THEN}}, ["x", "deleted", "60s"]),
    ("ResourceClaim.resource.k8s.io", {}, ["x", "pending", "60s"]),
    (
        "ResourceSlice.resource.k8s.io",
        {"spec": {"nodeName": "n", "driver": "d", "pool": {"name": "p"}}},
        ["x", "n", "d", "p", "60s"],
    ),
    ("DeviceClass.resource.k8s.io", {}, ["x", "60s"]),
    (
        "APIService.apiregistration.k8s.io",
        {
            "spec": {"service": {"namespace": "n", "name": "s"}},
            "status": {"conditions": [{"type": "Available", "status": "False", "reason": "Gone"}]},
        },
        ["x", "n/s", "False (Gone)", "60s"],
    ),
    (
        "ComponentStatus",
        {"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]},
        ["x", "Healthy", "ok", ""],
    ),
    ("Foo.example.org", {}, ["x", THEN]),
]


@pytest.mark.parametrize(("table", "fields", "cells"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_a_row_shows(table: str, fields: dict[str, Any], cells: list[Any]) -> None:
    assert row(table, object_of(fields), NOW)["cells"] == cells


def test_flow_schemas_stand_in_the_order_of_their_precedence() -> None:
    table = "FlowSchema.flowcontrol.apiserver.k8s.io"
    schemas = [{"metadata": {"name": name}, "spec": {"matchingPrecedence": n}} for name, n in [("a", 9), ("b", 1)]]
    made = table_of_list(table, schemas, {}, NOW)
    assert [row["cells"][0] for row in made["rows"]] == ["b", "a"]
