"""Instance types that a simulated cloud offers, with their prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Amounts
from wavetank.cluster.objects.karpenter import ARCH, ON_DEMAND, OS, SPOT

_GIB = 1024**3
KWOK = "kwok"
_KWOK_LABEL = "karpenter.kwok.sh/instance-"
_KWOK_ZONES = ("test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d")
_KWOK_FAMILIES = {2: "c", 4: "s", 8: "m"}  # by GiB of memory per CPU
_KWOK_SIZES = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256)
_KWOK_RESERVED: Amounts = {CPU: 100, MEMORY: 10 * 1024**2}


@dataclass(frozen=True, slots=True)
class Offering:
    """Where and how an instance type can be had, and its price per hour."""

    zone: str
    capacity_type: str  # on-demand or spot
    price: float


@dataclass(frozen=True, eq=False)
class InstanceType:
    """A kind of machine. Amounts are in milli-CPU, bytes and counts; `reserved` is not allocatable."""

    name: str
    capacity: Amounts
    offerings: Sequence[Offering]
    reserved: Amounts = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def allocatable(self) -> Amounts:
        """Returns what pods can use."""
        return {name: max(amount - self.reserved.get(name, 0), 0) for name, amount in self.capacity.items()}


def offerings(zones: Sequence[str], price: float | None, spot_price: float | None) -> tuple[Offering, ...]:
    """Returns the offerings of a type that costs the same in all zones; without a price it is not offered so."""
    prices = {SPOT: spot_price, ON_DEMAND: price}
    return tuple(
        Offering(zone, kind, amount) for zone in zones for kind, amount in prices.items() if amount is not None
    )


def kwok_types() -> list[InstanceType]:
    """Returns the types of Karpenter's provider for KWOK with Linux on amd64: 1 to 256 CPUs, three families.

    Their price is 0.025 per CPU and 0.001 per 10^9 bytes of memory; spot costs 70 % of it.
    """
    return [_kwok_type(cpus, factor) for cpus in _KWOK_SIZES for factor in _KWOK_FAMILIES]


def _kwok_type(cpus: int, factor: int) -> InstanceType:
    family, memory = _KWOK_FAMILIES[factor], cpus * factor * _GIB
    price = 0.025 * cpus + 0.001 * memory / 1e9
    amounts = {CPU: cpus * 1000, MEMORY: memory, PODS: min(cpus * 16, 1024), EPHEMERAL_STORAGE: 20 * _GIB}
    own = {"size": str(cpus), "family": family, "cpu": str(cpus), "memory": f"{cpus * factor}Gi"}
    labels = {ARCH: "amd64", OS: "linux", **{_KWOK_LABEL + key: value for key, value in own.items()}}
    return InstanceType(
        f"{family}-{cpus}x-amd64-linux", amounts, offerings(_KWOK_ZONES, price, price * 0.7), _KWOK_RESERVED, labels
    )


TABLES = {KWOK: kwok_types}  # instance types that a NodePool may name
