"""The load of a node that no pod requests: other programs on the machine, known only by its metrics."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.fields.resources import Amounts, parse_amounts
from wavetank.errors import InputError

LOAD = "wavetank.dev/load"  # an annotation of nodes: `cpu=20%,memory=3Gi`


def write_load(load: Mapping[str, str]) -> str:
    """Returns the annotation for a load by resource, each a share of what the node has (`20%`) or an amount."""
    return ",".join(f"{name}={amount}" for name, amount in load.items())


def read_load(annotation: str, allocatable: Amounts) -> Amounts:
    """Returns the load in milli-CPU, bytes and counts; InputError if the annotation is none."""
    if not annotation:
        return {}
    return dict(_part(part, allocatable) for part in annotation.split(","))


def _part(part: str, allocatable: Amounts) -> tuple[str, int]:
    name, _, amount = part.partition("=")
    try:
        if amount.endswith("%"):
            return name, round(allocatable.get(name, 0) * float(amount[:-1]) / 100)
        return name, parse_amounts({name: amount})[name]
    except (ValueError, InputError):
        problem = f"expected resource=20% or resource=amount, got {part!r:.60}"
        raise InputError(problem, path=f"metadata.annotations.{LOAD}") from None
