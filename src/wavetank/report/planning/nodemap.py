"""A map of nodes before and after, side by side: a box per node, in the same place on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from wavetank.planning.states import ClusterState, NodeState
from wavetank.report.planning.words import percent
from wavetank.words import counted

_NAMED, _SMALL = 60, 400  # boxes of at most so many nodes have names; of more than so many are tiny


def node_map(before: ClusterState, after: ClusterState) -> str:
    """Returns the HTML of two maps; a node that is on one side only leaves an empty box on the other."""
    zones = _zones(before, after)
    total = sum(map(len, zones.values()))
    size = "named" if total <= _NAMED else "small" if total <= _SMALL else "tiny"
    sides = "".join(
        f'<section aria-label="{label}"><h3>{label}</h3>{_side(state, before, zones, size)}</section>'
        for label, state in (("Before", before), ("After", after))
    )
    return f'<div class="maps {size}" id="node-map">{sides}</div>'


def map_rows(before: ClusterState, after: ClusterState) -> list[list[str | float]]:
    """Returns the nodes of both maps, a heading first; shares are of the allocatable amount."""
    rows: list[list[str | float]] = [
        ["side", "node", "zone", "cpu_share", "memory_share", "pods", "schedulable", "ready"]
    ]
    for side, state in (("before", before), ("after", after)):
        for node in state.nodes:
            figures = [node.cpu_share, node.memory_share, node.pods]
            rows.append([side, node.name, node.zone, *figures, str(node.schedulable), str(node.ready)])
    return rows


def _zones(*states: ClusterState) -> Mapping[str, list[str]]:
    zones: dict[str, dict[str, None]] = {}
    for state in states:
        for node in state.nodes:
            zones.setdefault(node.zone, {})[node.name] = None
    return {zone: list(names) for zone, names in sorted(zones.items())}


def _side(state: ClusterState, before: ClusterState, zones: Mapping[str, list[str]], size: str) -> str:
    here = {node.name: node for node in state.nodes}
    old = {node.name for node in before.nodes}
    parts = []
    for zone, names in zones.items():
        boxes = "".join(_box(name, here.get(name), name not in old, size == "named") for name in names)
        title = f"<h4>zone {escape(zone)}</h4>" if zone else ""
        parts.append(f'{title}<ul class="nodes">{boxes}</ul>')
    return "".join(parts)


def _box(name: str, node: NodeState | None, is_new: bool, named: bool) -> str:
    if node is None:
        inner = f"<b>{escape(name)}</b><span>–</span>" if named else ""
        return f'<li class="absent" title="{escape(name)}: not there">{inner}</li>'
    marks = ["new"] if is_new else []
    marks += ["cordoned"] if not node.schedulable else []
    marks += ["down"] if not node.ready else []
    state = "".join(f", {_WORDS[mark]}" for mark in marks if mark != "new")
    shares = f"CPU {percent(node.cpu_share)}, memory {percent(node.memory_share)}, {counted(node.pods, 'pod')}"
    share = min(max(node.cpu_share, 0), 1)
    half, rest = ("upper", 2 * share - 1) if share > 0.5 else ("lower", 2 * share)
    tone = f"{half} dark" if share > _DARK else half
    inner = f"<b>{escape(name)}</b><span>{round(100 * node.cpu_share)} % · {node.pods}</span>" if named else ""
    return (
        f'<li class="{" ".join((tone, *marks))}" style="--share:{100 * rest:.0f}%" '
        f'title="{escape(name)}: {shares}{state}">{inner}</li>'
    )


_WORDS = {"cordoned": "cordoned", "down": "not ready"}
_DARK = 0.6  # the share from which on the colour of a box needs light text
