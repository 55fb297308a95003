from __future__ import annotations

import errno
import gc
import os
import sys
import time
import traceback
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

import click

from wavetank.cli.outputoptions import add_verbosity, settings
from wavetank.cli.signals import ended_orderly
from wavetank.errors import WavetankError
from wavetank.kernel.deepcalls import allow_deep_calls
from wavetank.kernel.garbage import rare_collections
from wavetank.words import closest, printable

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)

# Each command lives in a module of its own that is loaded only when it is asked for.
_COMMANDS = {
    "batsim": "Simulate for a scheduler that speaks Batsim's protocol.",
    "capacity": "Say how many nodes a cluster or a workload needs.",
    "clock": "Pause, advance and show the clock of a served cluster.",
    "compare": "Compare two results: metrics and pods.",
    "controller": "Build real controllers that run in virtual time, and list them.",
    "convert": "Convert a workload to another format, or extract a part of it.",
    "decide": "Make the scheduling decisions of a Batsim at the other end of a socket.",
    "explain": "Explain why a pod is pending, and what would help; or why it is on its node.",
    "fit": "Fit a latency model to results of replays on a real cluster.",
    "inspect": "Summarize a workload or cluster file.",
    "k8ssim-server": "Serve K8sSim's HTTP interface, for its clients and learning schedulers.",
    "misim": "Run the files of MiSim: response times of microservices.",
    "misim-adapter": "Serve the adapter of misim-orchestration, with a built-in scheduler behind it.",
    "nodes": "Join simulated nodes to a real control plane.",
    "operator": "Queue Spark and Flink jobs on reserved slots of a cluster.",
    "play": "Play finished runs in the browser, two schedulers side by side.",
    "quotas": "Compare the queues of Kueue before and after a change of quotas.",
    "replay": "Replay the workload of an experiment on a real cluster.",
    "report": "Rewrite the HTML report of a results folder.",
    "results": "List the results in a folder, with a page that links their reports.",
    "run": "Run an experiment: compare schedulers on a simulated cluster.",
    "scheduler": "Build real schedulers that run in virtual time, and list them.",
    "schedulers": "List the schedulers that you can choose by name.",
    "schema": "Print the JSON Schema of experiments and sweeps, for editors.",
    "serve": "Serve the Kubernetes API of a simulated cluster.",
    "snapshot": "Take a snapshot of a cluster, for whatif, capacity and explain.",
    "study": "Repeat published studies, and see which of their claims hold.",
    "sweep": "Run schedulers in many scenarios, and report which is best in each.",
    "verify": "Replay recordings of real programs and compare every decision.",
    "warmup": "Compile the loops over nodes ahead of the first run.",
    "whatif": "Say what a drain, a failure, more nodes or another scheduler would do to a cluster.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        with rare_collections():  # imports make thousands of objects, none of them garbage
            command: click.Command = import_module(f"wavetank.cli.commands.{cmd_name.replace('-', '_')}").command
        add_verbosity(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = closest(args[0], _COMMANDS)
            hint = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r:.60}.{hint}", error.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from wavetank.version import __version__

        click.echo(f"wavetank {__version__}")
        ctx.exit()


_EXAMPLES = """\b
Examples:
  wavetank run experiment.yaml -o out/mine
  wavetank run --cluster nodes.yaml --workload jobs.json --scheduler default --scheduler policy:Mine
  wavetank compare out/mine out/other
"""


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXAMPLES)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def cli() -> None:
    """Try Kubernetes schedulers on a simulated cluster, before you risk a real one."""


@ended_orderly()
def main() -> None:
    """Runs the command line; ends with 0, 1 (a difference), 2 (bad input), 3 (a scheduler failed) or 130 (Ctrl-C).

    SIGTERM ends it with 143, SIGHUP with 129.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ± is no reason to fail
    allow_deep_calls()
    begun = time.perf_counter()
    try:
        status = cli(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "wavetank"
        _fail(f"{command}: {error.format_message()} (see {command} --help)", 2)
    except WavetankError as error:
        if settings.verbose:
            traceback.print_exc()
        _fail(str(error), error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", 130)
    except MemoryError:
        _fail("there is not enough memory: try fewer pods, nodes or jobs at a time", 2)
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _fail(f"the output cannot be written: {os.strerror(error.errno)}", 2)
    finally:
        if settings.verbose:
            click.echo(f"took {time.perf_counter() - begun:.1f} s", err=True)
        gc.freeze()  # a last collection of garbage would take a tenth of a second


def _fail(message: str, status: int) -> NoReturn:
    click.echo(printable(" ".join(message.split())), err=True)
    sys.exit(status)
