"""Names of Karpenter's API that several packages use."""

from __future__ import annotations

from wavetank.cluster.fields.taints import Taint

GROUP = "karpenter.sh"
VERSION = "v1"
API_VERSION = f"{GROUP}/{VERSION}"

# Labels of nodes.
NODE_POOL_LABEL = f"{GROUP}/nodepool"
CAPACITY_TYPE = f"{GROUP}/capacity-type"
REGISTERED = f"{GROUP}/registered"
INITIALIZED = f"{GROUP}/initialized"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
HOSTNAME = "kubernetes.io/hostname"

ON_DEMAND, SPOT = "on-demand", "spot"

# An annotation of pods and nodes: they are not disrupted voluntarily.
DO_NOT_DISRUPT = f"{GROUP}/do-not-disrupt"

TERMINATION = f"{GROUP}/termination"  # the finalizer of NodeClaims
DISRUPTED = Taint(f"{GROUP}/disrupted", "", "NoSchedule")
