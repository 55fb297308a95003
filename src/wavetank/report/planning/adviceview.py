"""What would help a pending pod, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wavetank.cluster.fields.resources import format_amounts
from wavetank.explanation.advice.advice import Advice, Offer
from wavetank.explanation.advice.refusednodes import RefusedNode, Shortage
from wavetank.explanation.podquestion import PodAnswer
from wavetank.report.explanation import explanation_data
from wavetank.words import counted

# Kinds of changes by what is changed, in the order in which they are shown.
GROUPS = {
    "the pod": (
        "request",
        "toleration",
        "node-selector",
        "node-affinity",
        "pod-affinity",
        "topology-spread",
        "host-port",
        "volume",
        "gates",
        "scheduler-name",
    ),
    "a node": ("uncordon", "taint", "label"),
    "the cluster": ("node", "eviction"),
    "several at once": ("together",),
}
NOTHING = "No change that was tried lets the pod in."


def answer_data(answer: PodAnswer) -> dict[str, Any]:
    """Returns everything as plain data; docs/explain.md describes it."""
    advice = None if answer.advice is None else answer.advice.data
    return {**explanation_data(answer.explanations), "advice": advice, "notes": list(answer.notes)}


def advice_view(advice: Advice, most: int) -> Iterator[RenderableType]:
    """Yields what to print: the `most` nearest nodes with what they lack, and the changes that let the pod in."""
    if advice.nodes:
        yield _nodes_table(advice.nodes[:most])
        left = len(advice.nodes) - most
        if left > 0:
            yield Text(f"  … and {counted(left, 'node')} farther off")
    yield Text(f"  what would help ({counted(advice.tried, 'trial')}):")
    if not advice.offers:
        yield Text(f"  {NOTHING}")
        return
    table = _table("Change of", "What to do", "Node")
    for group, offers in by_group(advice.offers):
        for i, offer in enumerate(offers):
            table.add_row(*map(Text, ("" if i else group, offer.text, offer.node)))
    yield table


def by_group(offers: Sequence[Offer]) -> Iterator[tuple[str, list[Offer]]]:
    """Yields the offers by what they change."""
    for group, kinds in GROUPS.items():
        found = [offer for offer in offers if offer.kind in kinds]
        if found:
            yield group, found


def shortage_text(shortage: Shortage) -> str:
    """Says by how much a node falls short of a resource."""
    name = shortage.resource
    amounts = {"missing": shortage.missing, "free": max(shortage.free, 0), "has": shortage.allocatable}
    text = {key: format_amounts({name: amount})[name] for key, amount in amounts.items()}
    return f"{name} by {text['missing']} ({text['free']} of {text['has']} free)"


def refusals_text(node: RefusedNode) -> str:
    """Names all filters that reject a node, with their reasons."""
    return "; ".join(f"{refusal.plugin}: {', '.join(refusal.reasons)}" for refusal in node.refusals)


def _nodes_table(nodes: Sequence[RefusedNode]) -> Table:
    short = any(node.shortages for node in nodes)
    table = _table("Nearest first", *(["Falls short of"] if short else []), "Rejected by")
    for node in nodes:
        lacks = [", ".join(map(shortage_text, node.shortages))] if short else []
        table.add_row(*map(Text, (node.name, *lacks, refusals_text(node))))
    return table


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    return table
