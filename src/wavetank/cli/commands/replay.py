from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wavetank.cli.console import console, errors, print_json
from wavetank.cli.options import speed_option
from wavetank.cli.outputoptions import json_option
from wavetank.cli.realcluster import cluster_options, connect, run_loop
from wavetank.errors import InputError

if TYPE_CHECKING:
    from wavetank.experiments.document.experiment import Experiment
    from wavetank.realclusters.client.client import ApiClient
    from wavetank.realclusters.replay.manifests import Style
    from wavetank.realclusters.replay.plan import Plan
    from wavetank.realclusters.replay.replay import Replay

_EXAMPLES = """\b
Examples:
  wavetank replay experiment.yaml --context kind-test --dry-run
  wavetank replay experiment.yaml --context kind-test --image busybox:1.36 -o out/real
  wavetank replay experiment.yaml --kubeconfig kubeconfig --context test --speed 60 -o out/real
  wavetank replay experiment.yaml --context kind-test -o out/real --resume
  wavetank compare out/real out/simulated
"""
_SHOWN = 10


@dataclass(frozen=True)
class _Job:
    """What the command line asks for."""

    experiment: Experiment
    plan: Plan
    style: Style
    seed: int
    context: str
    out: Path
    keep: bool
    resume: bool


@click.command(name="replay", epilog=_EXAMPLES)
@click.argument("experiment", type=click.Path(path_type=Path))
@cluster_options
@speed_option("Seconds of the workload per real second: arrivals and durations are shortened, latencies are not.")
@click.option("--namespace", default="wavetank-replay", show_default=True, help="A new namespace for all objects.")
@click.option("--image", default="busybox:1.36", show_default=True, help="Of all containers; it needs sh and sleep.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the workload.  [default: the experiment's first]")
@click.option("--keep", is_flag=True, help="Leave the objects in the cluster, also after Ctrl-C.")
@click.option("--resume", is_flag=True, help="Go on with a replay into OUT that was interrupted.")
@click.option("--dry-run", is_flag=True, help="Print what would be created, and create nothing.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="The folder of the results; not needed for --dry-run."
)
@json_option
def command(
    experiment: Path,
    kubeconfig: Path | None,
    context: str,
    speed: float,
    namespace: str,
    image: str,
    seed: int | None,
    keep: bool,
    resume: bool,
    dry_run: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Replay the workload of an experiment on a real cluster.

    Pods, Jobs and other objects are created at their times, with containers that sleep as long as the pods would run.
    What becomes of them is recorded and written as the results of `wavetank run` are. Times are those of the workload;
    the cluster, schedulers and latencies of the experiment are not used. At the end, and after Ctrl-C, everything is
    deleted.
    """
    from wavetank.experiments.document.experiment import read_experiment
    from wavetank.realclusters.replay.manifests import Style
    from wavetank.realclusters.replay.plan import make_plan
    from wavetank.results.write.outfolder import check_out

    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", namespace):
        raise InputError(
            f"expected a name of small letters, digits and dashes, got {namespace!r}", source="--namespace"
        )
    read = read_experiment(experiment)
    chosen = read.seeds[0] if seed is None else seed
    style = Style(_label(read.name), namespace, image, speed)
    try:
        plan = make_plan(read, chosen, style)
    except InputError as error:
        raise (error if error.source else error.inside(source=str(experiment))) from None
    if dry_run:
        _show_plan(plan, speed, as_json)
        return
    if out is None:
        raise click.UsageError("give -o OUT, or --dry-run")
    check_out(out)
    job = _Job(read, plan, style, chosen, context, out, keep, resume)

    async def main(stopped: asyncio.Event) -> list[str] | None:
        client = await connect(kubeconfig, context)
        try:
            return await _replay(client, job, stopped)
        finally:
            client.close()

    warnings = run_loop(main)
    if warnings is None:
        raise click.Abort
    from wavetank.cli.commands.run import show_results

    show_results(out, warnings, as_json)


async def _replay(client: ApiClient, job: _Job, stopped: asyncio.Event) -> list[str] | None:
    """Returns warnings, or None if it was interrupted."""
    from wavetank.realclusters.replay.journal import Journal, journal_path
    from wavetank.realclusters.replay.replay import Replay, check_unfinished
    from wavetank.realclusters.replay.space import prepare_space, remove_space

    journal = Journal(journal_path(job.out))
    check_unfinished(journal, job.resume, job.out)
    replay = Replay(client, job.plan, job.style, job.experiment.horizon)
    await prepare_space(client, job.style, job.plan.priority_classes, job.resume)
    begun = time.monotonic()
    try:
        replay.begin(journal, replay.header(client.url, job.seed), job.resume)
        complete = await replay.run(stopped, _Teller())
        if complete:
            warnings = await _write(client, job, replay, time.monotonic() - begun)
        if complete or not job.keep:
            journal.remove()
        return warnings if complete else None
    finally:
        journal.close()
        if not job.keep and not await remove_space(client, job.style, job.plan.priority_classes):
            errors.print(f"warning: the namespace {job.style.namespace} is still being deleted", highlight=False)


async def _write(client: ApiClient, job: _Job, replay: Replay, wall_s: float) -> list[str]:
    from wavetank.realclusters.replay.writing import write_replay
    from wavetank.report.page.html import write_report
    from wavetank.results.facts import ReplayFacts
    from wavetank.version import __version__

    release = str((await client.read("GET", "/version")).get("gitVersion") or "")
    facts = ReplayFacts(client.url, job.context, job.style.namespace, job.style.speed)
    result = write_replay(
        replay, job.experiment, job.plan, facts, release, job.seed, wall_s, job.out, __version__, write_report
    )
    return [*job.plan.notes, *replay.notes, *result.warnings]


class _Teller:
    """Prints how far a replay is, when a tenth more of the objects was created or of the pods has finished."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, progress: object) -> None:
        from wavetank.realclusters.replay.replay import Progress

        assert isinstance(progress, Progress)
        step = max(1, progress.total // 10)
        now = f"{progress.created // step} {progress.finished // step}"
        if now != self._last:
            self._last = now
            text = f"created {progress.created} of {progress.total}, pods {progress.pods}, finished {progress.finished}"
            errors.print(text, highlight=False)


def _label(name: str) -> str:
    """Returns a value of labels made of the experiment's name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-_.")[:63].strip("-_.") or "replay"


def _show_plan(plan: Plan, speed: float, as_json: bool) -> None:
    from wavetank.kernel.durations import SECOND

    if as_json:
        objects = [{"time_s": each.time / SECOND, "object": each.document} for each in plan.creations]
        print_json({"priorityClasses": plan.priority_classes, "objects": objects, "notes": plan.notes})
        return
    counts = ", ".join(f"{count} {kind}" for kind, count in plan.kinds().items())
    last = plan.creations[-1].time / SECOND
    console.print(f"would create {counts} within {last / speed:g} s", highlight=False)
    for each in plan.creations[:_SHOWN]:
        console.print(f"  at {each.time / SECOND / speed:10.3f} s  {each.key}", highlight=False)
    if len(plan.creations) > _SHOWN:
        console.print(f"  … and {len(plan.creations) - _SHOWN} more; --json prints all of them", highlight=False)
    for needed in plan.priority_classes:
        console.print(f"  PriorityClass/{needed['metadata']['name']}", highlight=False)
    for note in plan.notes:
        console.print(f"note: {note}", highlight=False, markup=False)
