"""A cluster with its controllers, built-in or the real kube-controller-manager, driven by a script in virtual time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from wavetank.apiserver.errors import StatusError
from wavetank.errors import InputError
from wavetank.loop.building.cache import Cache
from wavetank.testing import ScriptedCluster

Document = dict[str, Any]

PACKAGE, VERSION = "kube-controller-manager", "v1.35.8"
WORKLOADS = (
    "deployment-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
)
_NODE = """
apiVersion: v1
kind: Node
metadata: {{name: n{i}, labels: {{kubernetes.io/hostname: n{i}}}}}
status: {{capacity: &r {{cpu: "32", memory: 64Gi, pods: "110"}}, allocatable: *r}}
"""
NODES = [yaml.safe_load(_NODE.format(i=i)) for i in (1, 2, 3)]


def real_manager() -> str:
    """Returns the executable of the real program; skips where it has not been built."""
    try:
        return Cache().find(PACKAGE, VERSION).file
    except InputError as error:
        pytest.skip(str(error))


class Cluster(ScriptedCluster):
    """Three nodes with kubelets and a scheduler, at time 0; requests are made through the API."""

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Makes a request; returns the document that is answered, refused or not."""
        try:
            return self.request(method, path, body)
        except StatusError as error:
            return error.status

    def merge(self, path: str, patch: Mapping[str, Any]) -> Any:
        return self.ask("PATCH", path, patch)


@contextmanager
def built_in(controllers: Collection[str] = WORKLOADS) -> Iterator[Cluster]:
    """Gives a cluster with controllers of ours."""
    with Cluster(cluster=NODES, controllers=list(controllers)) as cluster:
        yield cluster


@contextmanager
def managed(controllers: Collection[str] = WORKLOADS, helped: Collection[str] = ()) -> Iterator[Cluster]:
    """Gives a cluster whose controllers are the real ones, in lockstep; `helped` are others, of ours."""
    real_manager()
    process = {"version": VERSION, "controllers": list(controllers), "args": ["-v=1"]}
    with Cluster(cluster=NODES, controllers=list(helped) or "none", process=process) as cluster:
        yield cluster
