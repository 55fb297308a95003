"""Labels and annotations by which schedulings, jobs, testbeds and the extender communicate."""

from __future__ import annotations

from collections.abc import Iterable

PREFIX = "batchjob.tuberlin.de/"

# Of pods in a testbed, ghost pods and others.
TESTBED_NAME = f"{PREFIX}slots-resource-name"
TESTBED_NAMESPACE = f"{PREFIX}slots-resource-namespace"  # only if it is not the pod's own
SLOT_IDS = f"{PREFIX}slots-ids"  # the slots among which the extender chooses: 0_1_4
IS_GHOST = f"{PREFIX}slots-is-ghost-pod"  # true or false
PREEMPTED_BY = f"{PREFIX}slots-ghost-pod-will-be-preempted-by"
TARGET_NODE = f"{PREFIX}slots-target-node"
SLOT_ID = f"{PREFIX}slots-id"  # the position on the node

# Of BatchJobs and testbeds: the scheduling that has claimed them.
CLAIM_NAME = f"{PREFIX}active-scheduling-name"
CLAIM_NAMESPACE = f"{PREFIX}active-scheduling-namespace"

# Of BatchJobs: the application to be created.
REQUEST = f"{PREFIX}application-creation-request-"
REQUEST_SLOT_IDS = f"{REQUEST}slot-ids"
REQUEST_TESTBED = f"{REQUEST}slots-name"
REQUEST_TESTBED_NAMESPACE = f"{REQUEST}slots-namespace"
REQUEST_REPLICATION = f"{REQUEST}replication"

# Annotations.
OBSERVED_VERSION = f"{PREFIX}slots-latest-observed-resource-version"
SLOT_PLACES = f"{PREFIX}slots-places"  # of applications: where its slots were, as slot ids change with the nodes
RETRIES = f"{PREFIX}extender-retry-counter"

# Labels that application operators give their pods: the name of the application.
SPARK_APP = "sparkoperator.k8s.io/app-name"
FLINK_CLUSTER = "cluster"
FLINK_APP = "app"

# Of pods that a simulated application operator has made: the application's kind.
SIMULATED = "wavetank.dev/application"

MANAGED_BY = "batchjob/managed-by"
OPERATOR = "BatchJob-Operator"


def join_ids(ids: Iterable[int]) -> str:
    """Writes slot ids as a label value: 0_1_4."""
    return "_".join(map(str, ids))


def split_ids(text: str) -> tuple[int, ...]:
    """Reads slot ids from a label value; what is not a number is left out."""
    return tuple(int(part) for part in text.split("_") if part.isdecimal())
