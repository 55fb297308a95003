"""The answer of `wavetank capacity` for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from wavetank.planning.capacity.answer import CapacityAnswer, CapacityReport
from wavetank.report.planning.words import by_reason, money, some
from wavetank.words import counted


def capacity_view(report: CapacityReport) -> Iterator[RenderableType]:
    """Yields what to print: for each scheduler the nodes, and what keeps it from fewer."""
    survives = f", which survive the failure of {report.headroom}" if report.headroom else ""
    yield Text(f"{report.question}{survives}")
    for answer in report.answers:
        yield Text(f"{answer.scheduler}: {nodes_text(answer)}")
        for line in binding_lines(answer):
            yield Text(f"  {line}")


def nodes_text(answer: CapacityAnswer) -> str:
    """Says how many nodes of each type are needed, and what they cost."""
    if not answer.fits:
        return f"no number of these nodes is enough ({answer.short} tried)"
    parts = [f"{each.count:,} × {each.name}" for each in answer.types if each.count]
    price = "" if answer.price is None else f", {money(answer.price)} per hour"
    return f"{counted(answer.nodes, 'node')} ({', '.join(parts)}{price})"


def binding_lines(answer: CapacityAnswer) -> Iterator[str]:
    """Yields which pods have no node with one node less, and why; and how much was tried."""
    if answer.why:
        yield f"at {answer.short}: {answer.why}"
    for reason, pods in by_reason(answer.binding)[:_MOST_REASONS]:
        yield f"at {answer.short} {counted(len(pods), 'pod')} would be pending ({some(pods)}): {reason}"
    yield f"{counted(len(answer.trials), 'trial')}: {_tried(answer)}"


def _tried(answer: CapacityAnswer) -> str:
    shown = answer.trials[:_MOST_TRIALS]
    more = ", …" if len(answer.trials) > _MOST_TRIALS else ""
    return ", ".join(f"{nodes} nodes: {pending:,} pending" for nodes, pending in shown) + more


_MOST_REASONS = 3
_MOST_TRIALS = 6
