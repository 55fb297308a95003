"""The faults of an experiment: {at: 10m, fail: node-3, for: 5m}."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wavetank.errors import InputError
from wavetank.experiments.document.structures.spec import FaultSpec
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.faults import CORDON, DRAIN, FAIL, RECOVER, UNCORDON, Fault

_ACTIONS = (FAIL, RECOVER, CORDON, UNCORDON, DRAIN)
_UNDONE_BY = {FAIL: RECOVER, CORDON: UNCORDON, DRAIN: UNCORDON}


def make_faults(specs: Sequence[FaultSpec], nodes: Collection[str], path: str) -> tuple[Fault, ...]:
    """Returns the faults in the order of time; InputError if they name a node that is not there."""
    faults = [fault for i, spec in enumerate(specs) for fault in _faults(spec, nodes, f"{path}[{i}]")]
    return tuple(sorted(faults, key=lambda fault: fault.at))


def late_faults(faults: Sequence[Fault], horizon: Nanoseconds | None) -> list[str]:
    """Says which faults never happen, because the run ends before."""
    late = [fault for fault in faults if horizon is not None and fault.at > horizon]
    if not late:
        return []
    first = f"{late[0].action} {late[0].node} at {late[0].at / SECOND:g} s"
    more = f" and {len(late) - 1} more" if len(late) > 1 else ""
    return [f"after the horizon, and never happens: {first}{more}"]


def _faults(spec: FaultSpec, nodes: Collection[str], path: str) -> Iterator[Fault]:
    action = next(each for each in _ACTIONS if getattr(spec, each) is not None)
    for name in getattr(spec, action):
        if name not in nodes:
            raise InputError(f"there is no node {name!r:.60} in the cluster", path=f"{path}.{action}")
        yield Fault(spec.at, action, name)
        if spec.for_ is not None:
            yield Fault(spec.at + spec.for_, _UNDONE_BY[action], name)
