"""Names of Cluster API that several packages use."""

from __future__ import annotations

GROUP = "cluster.x-k8s.io"
VERSION = "v1beta1"
API_VERSION = f"{GROUP}/{VERSION}"

# Annotations: of a machine that is to be deleted first, and of a node with the machine that it has become.
DELETE_MACHINE = f"{GROUP}/delete-machine"
MACHINE_OF_NODE = f"{GROUP}/machine"
NAMESPACE_OF_NODE = f"{GROUP}/cluster-namespace"
CLUSTER_NAME = f"{GROUP}/cluster-name"  # a label of machines and their sets, and an annotation of nodes

# Annotations of a MachineDeployment or MachineSet: limits of its size, what its nodes have, their price.
MIN_SIZE = f"{GROUP}/cluster-api-autoscaler-node-group-min-size"
MAX_SIZE = f"{GROUP}/cluster-api-autoscaler-node-group-max-size"
CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"
PRICE = "wavetank.dev/price-per-hour"

# Annotation of a machine that its cloud takes back, with the time of the notice.
INTERRUPTED = "wavetank.dev/interrupted"
