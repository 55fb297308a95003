from __future__ import annotations

from typing import Any

import pytest

from wavetank.controllers.hashing.goquantity import quantity_text
from wavetank.controllers.hashing.hashes import template_hash

PLAIN: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "c", "image": "nginx"}]},
}
PROBE = {
    "httpGet": {"path": "/", "port": "http", "scheme": "HTTP"},
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
RESOURCES = {
    "requests": {"cpu": "100m", "memory": "64Mi", "nvidia.com/gpu": "1"},
    "limits": {"cpu": "2", "memory": "100Mi"},
}
ENVIRONMENT = [
    {"name": "A", "value": "1"},
    {"name": "N", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
]
VOLUMES = [
    {"name": "e", "emptyDir": {"sizeLimit": "1Gi"}},
    {"name": "c", "configMap": {"name": "cm", "defaultMode": 420}},
    {"name": "h", "hostPath": {"path": "/x", "type": ""}},
]
ANTI_AFFINITY = {
    "topologyKey": "zone",
    "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
}
PLACEMENT = {
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
    "affinity": {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": ANTI_AFFINITY}]
        }
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ],
}


def served(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Returns a template with what the API server adds."""
    default = {
        "name": "c",
        "image": "nginx",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "Always",
    }
    defaults = {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
    metadata = {"labels": {"app": "web", "z": "1"}, "annotations": {"a": "b"}}
    return {"metadata": metadata, "spec": {"containers": [{**default, **(container or {})}], **defaults, **spec}}


# Computed with the real code: scripts/podtypes, `go run . hash`.
@pytest.mark.parametrize(
    ("template", "collisions", "expected"),
    [
        pytest.param(PLAIN, None, "7575594cf6", id="plain"),
        pytest.param(PLAIN, 1, "55c9dc5fcc", id="after a collision"),
        pytest.param(PLAIN, 70000, "6859594886", id="after very many"),
        pytest.param(served(), None, "694b5587", id="with defaults"),
        pytest.param(served({"resources": RESOURCES}), None, "74f6dbd8", id="resources"),
        pytest.param(
            served(
                {
                    "ports": [{"name": "http", "containerPort": 80, "protocol": "TCP"}],
                    "livenessProbe": PROBE,
                    "env": ENVIRONMENT,
                }
            ),
            None,
            "7c5658475d",
            id="a probe, a port and an environment",
        ),
        pytest.param(
            served({"volumeMounts": [{"name": "e", "mountPath": "/e"}]}, volumes=VOLUMES),
            None,
            "6dfcb9f65c",
            id="volumes",
        ),
        pytest.param(served(**PLACEMENT), None, "5688df75d4", id="placement"),
    ],
)
def test_the_hash_is_that_of_kube_controller_manager(
    template: dict[str, Any], collisions: int | None, expected: str
) -> None:
    assert template_hash(template, collisions) == expected


@pytest.mark.parametrize(
    ("text", "value", "kept"),
    [("0", 0, "0"), ("100m", 100, "100m"), ("5Gi", 5 << 30, "5Gi"), ("64Mi", 64 << 20, ""), ("1000", 1000, "")],
)
def test_a_quantity_is_told_as_go_keeps_it(text: str, value: int, kept: str) -> None:
    told = quantity_text(text)
    assert f"{{value:(int64){value} " in told
    assert f" s:(string){kept} " in told


def test_a_quantity_beyond_64_bits_is_told_in_words() -> None:
    number = "{unscaled:(big.Int){neg:(bool)false abs:(big.nat)[8568098291072368640 5960]} scale:(inf.Scale)9}"
    assert number in quantity_text("100Ti")
