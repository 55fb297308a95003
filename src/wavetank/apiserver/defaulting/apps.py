"""Defaults of the group apps."""

from __future__ import annotations

from wavetank.apiserver.defaulting.core import default_claim
from wavetank.apiserver.defaulting.fields import Document, default, fill, items, part
from wavetank.apiserver.defaulting.pods import default_template


def default_deployment(deployment: Document) -> None:
    """Completes a deployment."""
    spec = part(deployment, "spec")
    fill(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    strategy = part(spec, "strategy")
    if default(strategy, "type", "RollingUpdate") == "RollingUpdate":
        fill(part(strategy, "rollingUpdate"), maxUnavailable="25%", maxSurge="25%")
    default_template(part(spec, "template"))


def default_replica_set(replica_set: Document) -> None:
    """Completes a replica set."""
    spec = part(replica_set, "spec")
    default(spec, "replicas", 1)
    default_template(part(spec, "template"))


def default_daemon_set(daemon_set: Document) -> None:
    """Completes a daemon set."""
    spec = part(daemon_set, "spec")
    default(spec, "revisionHistoryLimit", 10)
    strategy = part(spec, "updateStrategy")
    if default(strategy, "type", "RollingUpdate") == "RollingUpdate":
        fill(part(strategy, "rollingUpdate"), maxUnavailable=1, maxSurge=0)
    default_template(part(spec, "template"))


def default_stateful_set(stateful_set: Document) -> None:
    """Completes a stateful set."""
    spec = part(stateful_set, "spec")
    fill(spec, replicas=1, revisionHistoryLimit=10, podManagementPolicy="OrderedReady")
    strategy = part(spec, "updateStrategy")
    if "type" not in strategy:
        strategy["type"] = "RollingUpdate"
        default(strategy, "rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        default(strategy["rollingUpdate"], "partition", 0)
    fill(part(spec, "persistentVolumeClaimRetentionPolicy"), whenDeleted="Retain", whenScaled="Retain")
    default_template(part(spec, "template"))
    for claim in items(spec, "volumeClaimTemplates"):
        fill(claim, apiVersion="v1", kind="PersistentVolumeClaim")
        default_claim(claim)
