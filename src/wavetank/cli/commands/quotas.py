from __future__ import annotations

from pathlib import Path

import click

from wavetank.cli.commands.warmup import warm_up
from wavetank.cli.console import console, errors, print_json, print_warnings
from wavetank.cli.outputoptions import json_option
from wavetank.cli.progress import showing_progress
from wavetank.version import __version__

_EXAMPLES = """\b
Examples:
  wavetank quotas cluster.yaml team-a.cpu=64
  wavetank quotas cluster.yaml team-a.cpu=+16 team-b.cpu=-16
  wavetank quotas cluster.yaml team-a/spot.cpu.borrowingLimit=8 team-b.memory.lendingLimit=none
"""


@click.command(name="quotas", epilog=_EXAMPLES)
@click.argument("experiment", type=click.Path(path_type=Path))
@click.argument("changes", nargs=-1, required=True, metavar="CHANGE...")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The results folder.  [default: out/<name>-quotas]")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of parallel runs.  [default: one per core]")
@json_option
def command(experiment: Path, changes: tuple[str, ...], out: Path | None, jobs: int | None, as_json: bool) -> None:
    """Run an experiment with other quotas of Kueue, and compare its queues before and after.

    EXPERIMENT is a document of kind Experiment with ClusterQueues among the objects of its cluster. A CHANGE is
    QUEUE.RESOURCE=AMOUNT, the nominal quota; +AMOUNT and -AMOUNT add to it and subtract from it. QUEUE/FLAVOR names
    one of several flavors; RESOURCE.borrowingLimit and RESOURCE.lendingLimit set a limit, `none` removes it.
    """
    from wavetank.experiments.document.experiment import read_experiment
    from wavetank.experiments.quotachange import QuotaChange, change_quotas
    from wavetank.experiments.runner import run_experiment
    from wavetank.experiments.summary import all_warnings
    from wavetank.report.page.html import write_report
    from wavetank.report.queuetable import queue_change_table, queue_changes
    from wavetank.results.write.outfolder import check_out

    read = read_experiment(experiment)
    changed, said = change_quotas(read, [QuotaChange.parse(text) for text in changes])
    out = out or Path("out") / f"{read.name}-quotas"
    for side in ("before", "after"):
        check_out(out / side)
    warm_up(errors)
    with showing_progress(errors) as progress:
        run_experiment(read, out / "before", __version__, progress, jobs, write_report)
        results = run_experiment(changed, out / "after", __version__, progress, jobs, write_report)
    warnings = all_warnings(changed, results)
    if as_json:
        folders = {"before": str(out / "before"), "after": str(out / "after")}
        print_json({"changes": list(said), "results": folders, "queues": queue_changes(out / "before", out / "after")})
        print_warnings(warnings)
        return
    for line in said:
        console.print(line, highlight=False, markup=False)
    console.print(queue_change_table(out / "before", out / "after"))
    print_warnings(warnings)
    console.print(f"results: {out / 'before'}, {out / 'after'}", soft_wrap=True, highlight=False)
