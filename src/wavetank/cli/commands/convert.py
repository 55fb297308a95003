from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wavetank.cli.console import console, print_json, print_warnings
from wavetank.cli.outputoptions import json_option
from wavetank.documents import reading as fields
from wavetank.kernel.durations import SECOND, format_seconds
from wavetank.workloads.convert.shaping import Period, find_period, normalized, of_period, trimmed, usage_of
from wavetank.workloads.convert.writers import TARGETS, write_workload
from wavetank.workloads.formats.swf.workload import PODS_PER_JOB
from wavetank.workloads.open import OpenedWorkload, open_workload
from wavetank.workloads.records import Records, records_of

_EXAMPLES = """\b
Examples:
  wavetank convert trace.swf.gz jobs.json
  wavetank convert KIT.swf kit.json --trim 1h --normalize-cpu 5.9 --period 10h --utilization 0.8
  wavetank convert pods.csv pods.parquet
  wavetank convert jobs.json pods.yaml
"""


@click.command(name="convert", epilog=_EXAMPLES)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--to", type=click.Choice(list(TARGETS)), help="The format to write.  [default: by the suffix of OUT]")
@click.option("--format", "format_", help="The format of IN.  [default: detected from the content]")
@click.option("--lenient", is_flag=True, help="Skip and count unusable entries.")
@click.option("--pods-per-job", type=click.Choice(PODS_PER_JOB), help="The pods of an SWF job of n processors.")
@click.option("--period", metavar="TIME", help="Extract a part of this length, which then starts at 0.")
@click.option("--utilization", type=click.FloatRange(0), help="Choose the part whose utilization is closest to this.")
@click.option(
    "--capacity", metavar="CPUS", type=click.IntRange(1), help="CPUs of the machine.  [default: MaxProcs, peak]"
)
@click.option("--trim", metavar="TIME", help="Limit the run times of jobs.")
@click.option("--normalize-cpu", metavar="CPUS", help="Turn jobs into single pods, and scale the largest to this.")
@json_option
def command(
    source: Path,
    target: Path,
    to: str | None,
    format_: str | None,
    lenient: bool,
    pods_per_job: str | None,
    as_json: bool,
    **shape: Any,
) -> None:
    """Convert a workload to another format, or extract a part of it.

    IN is any workload that wavetank reads; OUT is Batsim JSON (.json), SWF (.swf), CSV (.csv), wavetank's columnar
    form (.parquet) or manifests (.yaml). The command reports what the target format cannot express. It first extracts
    the period, then limits run times, then normalizes requests.
    """
    options = {"podsPerJob": pods_per_job} if pods_per_job else {}
    workload = open_workload(source, format_, lenient, options)
    records, found = _shaped(workload, **shape)
    written = write_workload(records, target, to)
    print_warnings([*workload.notes, *written.notes])
    if as_json:
        print_json(
            {
                "file": str(target),
                "format": written.format,
                "entries": written.entries,
                "period": None if found is None else {"begin": found.begin / SECOND, "utilization": found.utilization},
                "warnings": [*workload.notes, *written.notes],
            }
        )
        return
    if found is not None:
        share = f"{found.utilization:.1%} of the machine in use"
        console.print(f"period: from {format_seconds(found.begin)} s, {share}", highlight=False)
    console.print(f"{target}: {written.entries} entries ({written.format})", soft_wrap=True, highlight=False)


def _shaped(
    workload: OpenedWorkload,
    period: str | None,
    utilization: float | None,
    capacity: int | None,
    trim: str | None,
    normalize_cpu: str | None,
) -> tuple[Records, Period | None]:
    """Returns what is to be written, and the period that was found."""
    records, found = records_of(workload), None
    if period is None and utilization is not None:
        raise click.UsageError("--utilization needs --period: the length of the part to look for")
    if period is not None:
        length = fields.duration(period, "--period")
        found = find_period(records, usage_of(workload.workload, records, capacity), length, utilization)
        records = of_period(records, found)
    if trim is not None:
        records = trimmed(records, fields.duration(trim, "--trim"))
    if normalize_cpu is not None:
        records = normalized(records, fields.amounts({"cpu": normalize_cpu}, "--normalize-cpu")["cpu"])
    return records, found
