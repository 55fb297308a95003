"""The page of an answer of `wavetank capacity`."""

from __future__ import annotations

from pathlib import Path

from wavetank.planning.capacity.answer import CapacityAnswer, CapacityReport
from wavetank.report.page.facts import warnings_block
from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import SCRIPTS, STYLES, items, rows_table, section
from wavetank.report.planning.capacityview import nodes_text
from wavetank.report.planning.words import by_reason, money, some
from wavetank.words import counted


def write_capacity_page(report: CapacityReport, path: Path) -> Path:
    """Writes the page of an answer and returns its path; the same answer gives the same bytes."""
    facts = [report.question, f"survives the failure of {report.headroom}" if report.headroom else ""]
    slots = {
        "facts": items(fact for fact in facts if fact),
        "warnings": warnings_block(report.notes),
        "body": _overview(report) + "".join(_scheduler(i, answer) for i, answer in enumerate(report.answers)),
    }
    data = {"tables": {f"trials-{i}": _trial_rows(answer) for i, answer in enumerate(report.answers)}}
    return write_page(path, fill_page("planning/template.html", "How many nodes", STYLES, SCRIPTS, data, slots))


def _overview(report: CapacityReport) -> str:
    rows = [
        (answer.scheduler, nodes_text(answer), f"{answer.nodes:,}" if answer.fits else "–", money(answer.price))
        for answer in report.answers
    ]
    lead = "The fewest nodes, or the cheapest mix of their types, on which nothing is pending; found by trying."
    table = rows_table(("Scheduler", "Nodes needed", "Number", "Price per hour"), rows, 2)
    return section("nodes", "Nodes", lead, table)


def _trial_rows(answer: CapacityAnswer) -> list[list[str | int]]:
    trials: list[list[str | int]] = [[nodes, pending] for nodes, pending in answer.trials]
    return [["nodes", "pending_pods"], *trials]


def _scheduler(i: int, answer: CapacityAnswer) -> str:
    reasons = [(reason, some(pods), f"{len(pods):,}") for reason, pods in by_reason(answer.binding)]
    lead = " ".join(
        (
            f"With {answer.short}, {counted(len(answer.binding), 'pod')} would have no node." if answer.binding else "",
            f"With {answer.short}: {answer.why}." if answer.why else "",
        )
    )
    binding = rows_table(("Reason", "Pods", "Number"), reasons, 2) if reasons else ""
    most = max((pending for _, pending in answer.trials), default=0) or 1
    bars = "".join(
        f'<li><span>{nodes} nodes</span><i style="--share:{100 * pending / most:.1f}%"></i>'
        f"<b>{pending:,} pending</b></li>"
        for nodes, pending in answer.trials
    )
    trials = f'<h3>What was tried</h3><ol class="trials" id="trials-{i}">{bars}</ol>'
    return section(f"scheduler-{i}", answer.scheduler, lead.strip() or nodes_text(answer), binding + trials)
