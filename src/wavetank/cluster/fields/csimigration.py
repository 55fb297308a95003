"""In-tree volume plugins, and the CSI drivers that have taken over from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ZONE, BETA_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"


@dataclass(frozen=True, slots=True)
class InTreePlugin:
    """A plugin that a CSI driver replaces: `field` holds its volumes, `handle` the field that identifies a volume.

    `zone_key` is the driver's own label for a node's zone. A plugin that is not `always` migrated is so on the nodes
    whose CSINode says it.
    """

    field: str
    name: str
    driver: str
    handle: str
    zone_key: str
    always: bool = True

    def volume_handle(self, source: Mapping[str, Any], zone: str = "UNSPECIFIED") -> str:
        """Returns the handle that the driver would give to a volume of this plugin."""
        given = str(source.get(self.handle) or "")
        if self.field == "gcePersistentDisk":
            return f"projects/UNSPECIFIED/zones/{zone}/disks/{given}"
        return given.rpartition("/")[2] if given.startswith("aws://") else given


_PLUGINS = (
    InTreePlugin(
        "awsElasticBlockStore",
        "kubernetes.io/aws-ebs",
        "ebs.csi.aws.com",
        handle="volumeID",
        zone_key="topology.ebs.csi.aws.com/zone",
    ),
    InTreePlugin(
        "gcePersistentDisk",
        "kubernetes.io/gce-pd",
        "pd.csi.storage.gke.io",
        handle="pdName",
        zone_key="topology.gke.io/zone",
    ),
    InTreePlugin(
        "azureDisk",
        "kubernetes.io/azure-disk",
        "disk.csi.azure.com",
        handle="diskURI",
        zone_key="topology.disk.csi.azure.com/zone",
    ),
    InTreePlugin(
        "cinder",
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        handle="volumeID",
        zone_key="topology.cinder.csi.openstack.org/zone",
    ),
    InTreePlugin(
        "portworxVolume",
        "kubernetes.io/portworx-volume",
        "pxd.portworx.com",
        handle="volumeID",
        zone_key="",
        always=False,
    ),
)
BY_NAME: Mapping[str, InTreePlugin] = {plugin.name: plugin for plugin in _PLUGINS}


def in_tree_plugin(source: Mapping[str, Any]) -> InTreePlugin | None:
    """Returns the plugin whose volume a pod's volume, or a persistent volume's spec, describes."""
    return next((plugin for plugin in _PLUGINS if source.get(plugin.field) is not None), None)
