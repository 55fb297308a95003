from __future__ import annotations

from pathlib import Path

import click

from wavetank.batsim.platform.platform import PlatformOptions, parse_role
from wavetank.batsim.run import BatsimRun, simulate
from wavetank.batsim.server.options import ServerOptions
from wavetank.batsim.server.server import Server
from wavetank.batsim.sockets import Requester
from wavetank.cli.console import console, print_json
from wavetank.cli.options import finite
from wavetank.cli.outputoptions import json_option
from wavetank.cluster.manifests import read_text
from wavetank.errors import InputError

_EXAMPLES = """\b
Examples:
  wavetank batsim -p platform.xml -w workload.json          # for a scheduler at tcp://localhost:28000
  wavetank batsim -p platform.xml -w a.json -w b.json -s tcp://localhost:28001 -e out/mine --energy
  wavetank batsim -p platform.xml -w workload.json --events events.txt --enable-dynamic-jobs
"""
_REFUSED = {
    "workflow": "workflows are not simulated",
    "workflow_start": "workflows are not simulated",
    "enable_redis": "redis is not used: jobs and profiles are sent in messages",
    "no_sched": "a simulation without a scheduler is not offered",
}


@click.command(name="batsim", epilog=_EXAMPLES)
@click.option("-p", "--platform", type=click.Path(path_type=Path), required=True, help="The SimGrid platform.")
@click.option(
    "-w", "--workload", "workloads", type=click.Path(path_type=Path), multiple=True, help="A workload; may be repeated."
)
@click.option(
    "--events", type=click.Path(path_type=Path), multiple=True, help="External events, one JSON object per line."
)
@click.option(
    "-s", "--socket-endpoint", default="tcp://localhost:28000", show_default=True, help="Where the scheduler listens."
)
@click.option(
    "-e", "--export", "prefix", default="out", show_default=True, help="The prefix of the files that are written."
)
@click.option("-E", "--energy", is_flag=True, help="Simulate the energy of machines.")
@click.option("-m", "--master-host", default="master_host", show_default=True, help="The host that does not compute.")
@click.option(
    "-r", "--add-role-to-hosts", "roles", multiple=True, metavar="HOSTS:ROLE", help="compute_node, storage or master."
)
@click.option("--mmax", type=click.IntRange(min=0), default=0, help="At most this many machines; 0: all.")
@click.option("--mmax-workload", is_flag=True, help="At most as many machines as the workloads were made for.")
@click.option("--enable-compute-sharing", "compute_sharing", is_flag=True, help="Machines may hold several jobs.")
@click.option(
    "--disable-storage-sharing",
    "no_storage_sharing",
    is_flag=True,
    help="Tell the scheduler that storage is not shared.",
)
@click.option("--enable-dynamic-jobs", "dynamic_jobs", is_flag=True, help="The scheduler may register jobs.")
@click.option("--acknowledge-dynamic-jobs", is_flag=True, help="Send JOB_SUBMITTED for registered jobs, too.")
@click.option(
    "--enable-profile-reuse",
    "profile_reuse",
    is_flag=True,
    help="Tell the scheduler that profiles are kept; they always are.",
)
@click.option(
    "--forward-profiles-on-submission", "forward_profiles", is_flag=True, help="JOB_SUBMITTED has the profile."
)
@click.option("--forward-unknown-events", is_flag=True, help="Send external events of any type.")
@click.option("--sched-cfg", default="", help="A configuration text to send to the scheduler.")
@click.option("--sched-cfg-file", type=click.Path(path_type=Path), help="A file with that text.")
@click.option(
    "--disable-schedule-tracing", "no_schedule_trace", is_flag=True, help="Do not write PREFIX_schedule.trace."
)
@click.option(
    "--disable-machine-state-tracing", "no_machine_states", is_flag=True, help="Do not write PREFIX_machine_states.csv."
)
@click.option(
    "--report", is_flag=True, help="Write PREFIX_report.html: a Gantt chart, with the overlaps of shared machines."
)
@click.option(
    "--connect-timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    metavar="SECONDS",
    help="Wait no longer than this for a scheduler.  [default: forever]",
)
@json_option
@click.option("--workflow", hidden=True)
@click.option("--workflow-start", hidden=True)
@click.option("--enable-redis", is_flag=True, hidden=True)
@click.option("--no-sched", is_flag=True, hidden=True)
def command(
    platform: Path,
    workloads: tuple[Path, ...],
    events: tuple[Path, ...],
    socket_endpoint: str,
    prefix: str,
    energy: bool,
    master_host: str,
    roles: tuple[str, ...],
    mmax: int,
    mmax_workload: bool,
    compute_sharing: bool,
    no_storage_sharing: bool,
    dynamic_jobs: bool,
    acknowledge_dynamic_jobs: bool,
    profile_reuse: bool,
    forward_profiles: bool,
    forward_unknown_events: bool,
    sched_cfg: str,
    sched_cfg_file: Path | None,
    no_schedule_trace: bool,
    no_machine_states: bool,
    report: bool,
    connect_timeout: float | None,
    as_json: bool,
    **refused: object,
) -> None:
    """Simulate a platform and workloads for a scheduler that speaks Batsim's protocol.

    Options and files are those of Batsim 4. The scheduler listens on a ZeroMQ REP socket; start it before or after.
    """
    for name, value in refused.items():
        if value:
            raise InputError(_REFUSED[name], source=f"--{name.replace('_', '-')}")
    if not workloads:
        raise InputError("give at least one workload", source="--workload")
    config = sched_cfg if sched_cfg_file is None else read_text(sched_cfg_file)
    run = BatsimRun(
        platform,
        workloads,
        prefix,
        events,
        PlatformOptions(energy, master_host, _roles(roles), mmax),
        mmax_workload,
        ServerOptions(
            compute_sharing,
            not no_storage_sharing,
            dynamic_jobs,
            acknowledge_dynamic_jobs,
            profile_reuse,
            forward_profiles,
            forward_unknown_events,
            config,
        ),
        not no_schedule_trace,
        not no_machine_states,
        report,
    )
    with Requester(socket_endpoint, connect_timeout) as scheduler:
        _print(simulate(run, scheduler), prefix, report, as_json)


def _roles(texts: tuple[str, ...]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for text in texts:
        try:
            hosts, role = parse_role(text)
        except InputError as error:
            raise error.inside(source="--add-role-to-hosts") from None
        roles.update(dict.fromkeys(hosts, role))
    return roles


def _print(server: Server, prefix: str, report: bool, as_json: bool) -> None:
    finished = server.recorder.jobs
    failed = sum(job.exit_code != 0 for job in finished)
    end = server.clock.now / 1e9
    if as_json:
        print_json({"jobs": len(finished), "failed": failed, "end": end, "results": prefix})
        return
    console.print(f"{len(finished)} jobs finished at {end:g} s, {failed} of them without success", highlight=False)
    console.print(f"results: {prefix}_jobs.csv, {prefix}_schedule.csv", highlight=False)
    if report:
        console.print(f"report:  {prefix}_report.html", highlight=False)
