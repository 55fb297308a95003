"""The objects of a cluster as far as they can be the same in two: without times, numbers and random names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.controllers.real.clusters import Cluster

LISTS = {
    "deployments": "/apis/apps/v1/deployments",
    "replicasets": "/apis/apps/v1/replicasets",
    "replicationcontrollers": "/api/v1/replicationcontrollers",
    "statefulsets": "/apis/apps/v1/statefulsets",
    "daemonsets": "/apis/apps/v1/daemonsets",
    "controllerrevisions": "/apis/apps/v1/controllerrevisions",
    "jobs": "/apis/batch/v1/jobs",
    "cronjobs": "/apis/batch/v1/cronjobs",
    "pods": "/api/v1/pods",
}
_ADDRESSES = {"nodeName", "podIP", "podIPs", "hostIP", "hostIPs", "containerID"}
_FORGOTTEN = {"uid", "resourceVersion", "managedFields", *_ADDRESSES}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SUFFIX = re.compile(r"(-[bcdfghjklmnpqrstvwxz2456789]{5})(?=\W|$)")


def objects_of(cluster: Cluster, lists: Mapping[str, str] = LISTS) -> dict[str, list[str]]:
    """Returns all objects of some lists, by their plural, each as a text, sorted."""
    return {plural: sorted(map(_text, cluster.ask("GET", path)["items"])) for plural, path in lists.items()}


def _text(document: dict[str, Any]) -> str:
    text = json.dumps(_plain(document), sort_keys=True, indent=1)
    return _SUFFIX.sub("-<rand>", _UID.sub("<uid>", _TIME.sub("<time>", text)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _FORGOTTEN}
    return [_plain(item) for item in value] if isinstance(value, list) else value
