"""Objects of networking, storage, policy and the rest with the rows that show them."""

from __future__ import annotations

from typing import Any

THEN = "2023-12-31T23:59:00Z"
SELECTOR = {"matchLabels": {"a": "b"}}

CLUSTER: list[tuple[str, dict[str, Any], list[Any]]] = [
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
