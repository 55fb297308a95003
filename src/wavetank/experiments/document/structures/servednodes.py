from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.documents import types
from wavetank.documents.structure import Structure, field
from wavetank.experiments.document.structures.nodegroups import NodeGroupSpec
from wavetank.experiments.document.structures.nodepools import NodePoolSpec, ProvisionerSpec


class ServedNodesDocument(Structure):
    """Nodes that come and go, for `wavetank serve`: node groups with their autoscaler, and node pools.

    The fields are those of an Experiment.
    """

    node_groups: list[NodeGroupSpec] = field(
        types.items(types.nested(NodeGroupSpec), least=0), default=[], doc="groups of nodes that grow and shrink"
    )
    autoscaler: Mapping[str, Any] | None = field(
        types.mapping, default=None, doc="runs the cluster autoscaler with these flags"
    )
    node_pools: list[NodePoolSpec] = field(
        types.items(types.nested(NodePoolSpec), least=0), default=[], doc="pools of nodes, as Karpenter's NodePools"
    )
    provisioner: ProvisionerSpec | None = field(
        types.nested(ProvisionerSpec), default=None, otherwise="Karpenter's own", doc="settings of the provisioner"
    )
