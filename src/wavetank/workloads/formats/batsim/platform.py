"""SimGrid platforms as Batsim reads them, of which the hosts become nodes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from wavetank.cluster.fields.power import POWER
from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.objects.node import SPEED
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.hosts import COMPUTE_NODE, Host, hosts_of, parse_platform, parse_speed
from wavetank.workloads.formats.batsim.wattage import WATTAGE, powers_of
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest

BATSIM_ID = "wavetank.dev/batsim-id"  # annotation: the host's number in Batsim's protocol and results
DEFAULT_MEMORY = "4Gi"  # of a host without a `memory` property: SimGrid itself knows no memory


def is_platform(file: InputFile) -> bool:
    """Tells whether a file looks like XML, of which platforms are the only kind that is read."""
    return file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def read_platform(file: InputFile) -> list[Manifest]:
    """Makes a node of each compute host, in the order of Batsim's resource ids.

    Cores and memory are the host's properties `core` and `memory`, else its attribute `core` (1) and 4Gi; the
    speed of a core in flop/s, in the first of several states, the watts of this state (`wattage_per_state`) and the id
    become annotations. Hosts of role master or storage, and `master_host`, are left out. A node is named like its host,
    in lower case.
    """
    try:
        hosts = [host for host in hosts_of(parse_platform(file)) if host.role() == COMPUTE_NODE]
        return [node_of(host, i, annotations=_power(host)) for i, host in enumerate(hosts)]
    except InputError as error:
        raise error.inside(source=file.source) from None


def _power(host: Host) -> dict[str, str]:
    """Returns the annotation with the watts of a host's first state, if it states them."""
    if WATTAGE not in host.properties:
        return {}
    idle, least, full = powers_of(host)[0]
    return {POWER: json.dumps({"idle": idle, "least": least, "full": full})}


def node_of(host: Host, number: int, pods: int = MOST_PODS, annotations: Mapping[str, str] | None = None) -> Manifest:
    """Makes a node of a host, with more annotations; it holds at most `pods`."""
    properties = host.properties
    capacity = {CPU: properties.get("core", host.cores), MEMORY: properties.get("memory", DEFAULT_MEMORY)}
    try:
        name = read_node_name(re.sub(r"[^a-z0-9.-]", "-", host.name.lower()))
        amounts = fields.amounts(capacity, "") | {PODS: pods}
        speed = repr(parse_speed(host.speed.split(",")[0].strip()))
    except InputError as error:
        raise error.inside(path=host.path) from None
    stated = {BATSIM_ID: str(number), SPEED: speed, **(annotations or {})}
    return node_manifest(name, {}, format_amounts(amounts), annotations=stated)
