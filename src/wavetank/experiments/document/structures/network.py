"""The structure of `services.network` in the Experiment document."""

from __future__ import annotations

from wavetank.cluster.fields.resources import MEMORY
from wavetank.documents import reading, types
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import STRINGS, Type
from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution


def _read_bandwidth(value: object, path: str) -> int:
    bits = reading.amount(value, path, MEMORY)
    if bits <= 0:
        raise InputError(f"expected bits per second above 0, got {value!r:.60}", path=path)
    return bits


_bandwidth = Type("quantity", _read_bandwidth, types.amount(MEMORY).schema)


def _read_ends(value: object, path: str) -> list[str]:
    ends = reading.sequence(value, path)
    if len(ends) != 2:
        raise InputError(f"expected two ends, got {len(ends)}", path=path)
    return [reading.text(end, f"{path}[{i}]") for i, end in enumerate(ends)]


_ends = Type("two texts", _read_ends, {**STRINGS, "minItems": 2, "maxItems": 2})


class LinkSpec(Structure):
    """What connects two topology domains, in both directions unless there is another link for the way back."""

    between: list[str] = field(_ends, doc="the values of the topology key at both ends; twice the same: inside it")
    latency: Distribution = field(types.distribution, default=0, doc="of one message, added to the hop")
    bandwidth: int | None = field(
        _bandwidth, default=None, doc="for payloads, each way: `1G`", unit="bit/s", otherwise="no limit"
    )


class NetworkSpec(Structure):
    """The network between nodes. Payloads share the bandwidth of links max-min fairly."""

    topology_key: str = field(
        types.text,
        default="topology.kubernetes.io/zone",
        doc="the label of nodes that links are between; `kubernetes.io/hostname`: between nodes",
    )
    node_bandwidth: int | None = field(
        _bandwidth, default=None, doc="of each node, in and out: `10G`", unit="bit/s", otherwise="no limit"
    )
    links: list[LinkSpec] = field(
        types.items(types.nested(LinkSpec), least=0), default=[], doc="latency and bandwidth between topology domains"
    )

    def check(self, path: str) -> None:
        """Refuses a link that is given twice."""
        seen: set[tuple[str, ...]] = set()
        for i, link in enumerate(self.links):
            if tuple(link.between) in seen:
                raise InputError(
                    f"the link between {' and '.join(link.between)} is given twice", path=f"{path}.links[{i}]"
                )
            seen.add(tuple(link.between))
