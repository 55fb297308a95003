"""The answer of `wavetank whatif` for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wavetank.planning.states import ClusterState
from wavetank.planning.whatif.answer import Answer, Disruption
from wavetank.report.planning.words import by_reason, money, percent, seconds, some
from wavetank.words import counted

MOST_ROWS = 10


def answer_view(answer: Answer, most: int = MOST_ROWS) -> Iterator[RenderableType]:
    """Yields what to print: the changes, the cluster before and after, pending pods, and what was disrupted."""
    for i, step in enumerate(answer.steps, 1):
        yield Text(f"{i}. {step.text}: {seconds(step.took_s)}")
    yield _before_and_after(answer)
    yield Text(pods_line(answer))
    if answer.lost:
        yield Text(f"lost, since no controller creates them again: {some(answer.lost)}")
    yield from _blocked(answer, most)
    yield from _pending(answer, most)
    yield from _disruptions(answer, most)


def pods_line(answer: Answer) -> str:
    """Says in one line what happened to the pods."""
    counts = answer.pods
    others = {"created": counts.created, "deleted": counts.deleted, "completed": counts.completed}
    more = "".join(f"; {counted(number, 'pod')} {words}" for words, number in others.items() if number)
    if not counts.evicted:
        return f"{counted(counts.moved, 'pod')} moved{more}"
    parts = [f"{counts.moved:,} moved"]
    waiting = counts.evicted - counts.moved - counts.lost - counts.ended - counts.missing
    named = {
        "lost": counts.lost,
        "without a node now": waiting,
        "not created again yet": counts.missing,
        "ended with their node": counts.ended,
        "preempted": counts.preempted,
    }
    parts += [f"{number:,} {words}" for words, number in named.items() if number > 0]
    return f"{counted(counts.evicted, 'pod')} had to leave: {', '.join(parts)}{more}"


def rows_before_and_after(answer: Answer) -> list[tuple[str, str, str]]:
    """Returns the figures of the cluster before and after the changes."""
    before, after = answer.before, answer.after
    rows = [
        ("nodes", f"{len(before.nodes):,}", f"{len(after.nodes):,}"),
        ("nodes with pods", f"{before.used:,}", f"{after.used:,}"),
        ("pods on nodes", f"{before.placed:,}", f"{after.placed:,}"),
        ("pending pods", f"{len(before.pending):,}", f"{len(after.pending):,}"),
        ("CPU requested", percent(before.share("cpu")), percent(after.share("cpu"))),
        ("memory requested", percent(before.share("memory")), percent(after.share("memory"))),
    ]
    zones = sorted({*before.zones(), *after.zones()})
    if len(zones) > 1:
        for zone in zones:
            name = f"CPU requested in zone {zone or '(none)'}"
            rows.append((name, _zone_share(before, zone), _zone_share(after, zone)))
    if before.price is not None or after.price is not None:
        rows.append(("price per hour", money(before.price), money(after.price)))
    return rows


def _zone_share(state: ClusterState, zone: str) -> str:
    nodes = state.zones().get(zone)
    return "–" if nodes is None else percent(state.share("cpu", nodes))


def disrupted(answer: Answer) -> list[Disruption]:
    """Returns what had fewer ready pods than before for some time."""
    return [each for each in answer.disruptions if each.fewest < each.wanted]


def _before_and_after(answer: Answer) -> Table:
    table = _table(("", "Before", "After"), right=(1, 2))
    for row in rows_before_and_after(answer):
        table.add_row(*map(Text, row))
    return table


def _blocked(answer: Answer, most: int) -> Iterator[RenderableType]:
    for each in answer.blocked[:most]:
        yield Text(f"not evicted from {each.node}: {each.pod}: {each.reason}")
    if len(answer.blocked) > most:
        yield Text(f"… and {len(answer.blocked) - most} more")


def _pending(answer: Answer, most: int) -> Iterator[RenderableType]:
    for reason, pods in by_reason(answer.after.pending)[:most]:
        yield Text(f"pending: {counted(len(pods), 'pod')} ({some(pods)}): {reason}")


def _disruptions(answer: Answer, most: int) -> Iterator[RenderableType]:
    rows = disrupted(answer)
    if not rows:
        return
    table = _table(("Fewest ready", "Namespace", "Name", "Ready", "Before", "Below for"), right=(3, 4, 5))
    for each in rows[:most]:
        numbers = (f"{each.fewest}", f"{each.wanted}", seconds(each.below_s))
        table.add_row(*map(Text, (each.kind, each.namespace, each.name, *numbers)))
    yield table
    if len(rows) > most:
        yield Text(f"… and {len(rows) - most} more with fewer ready pods for some time")


def _table(columns: Sequence[str], right: Sequence[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.pad_edge, table.collapse_padding = False, True
    for i, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if i in right else "left", overflow="fold")
    return table
