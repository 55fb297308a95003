from __future__ import annotations

import sys
from importlib import import_module

import click

from wavetank.errors import WavetankError

# Each command lives in a module of its own that is loaded only when it is asked for.
_COMMANDS = {
    "compare": "Show what differs between the results of two runs.",
    "report": "Write the HTML report of a results folder again.",
    "run": "Run an experiment: schedulers on a simulated cluster.",
    "schedulers": "List the schedulers that can be picked by name.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"wavetank.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from wavetank.version import __version__

        click.echo(f"wavetank {__version__}")
        ctx.exit()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show it.")
def cli() -> None:
    r"""Try Kubernetes schedulers on a simulated cluster, before anyone risks a real one.

    \b
    Examples:
      wavetank run experiment.yaml -o out/mine
      wavetank run --cluster nodes.yaml --workload jobs.json --scheduler default --scheduler policy:Mine
      wavetank compare out/mine out/other
    """


def main() -> None:
    """Runs the command line; ends with 0, 1 (a difference), 2 (bad input), 3 (a scheduler failed) or 130 (Ctrl-C)."""
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except WavetankError as error:
        click.echo(" ".join(str(error).split()), err=True)
        sys.exit(error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: nothing was written", err=True)
        sys.exit(130)
