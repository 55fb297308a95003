"""What commands print: --quiet and --verbose, which all of them have, and --json."""

from __future__ import annotations

from dataclasses import dataclass

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@dataclass
class Settings:
    """What --quiet and --verbose have set."""

    quiet: bool = False
    verbose: bool = False


settings = Settings()


def add_verbosity(command: click.Command) -> None:
    """Adds the options to a command, or to all commands of a group."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_verbosity(each)
        return
    if not any("--quiet" in option.opts for option in command.params):
        command.params += [
            _option("-q", "--quiet", "Print only results and errors: no progress and no warnings."),
            _option("-v", "--verbose", "Print all warnings, how long it took, and the traceback of an error."),
        ]


def _option(short: str, long: str, text: str) -> click.Option:
    return click.Option([short, long], is_flag=True, expose_value=False, callback=_set, help=text)


def _set(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Sets what is printed; options that are not given are called too, so that nothing is left of an earlier call."""
    from wavetank.cli.console import errors  # not before a command runs: rich takes a while to load

    context.meta[f"wavetank.{option.name}"] = value
    quiet, verbose = (context.meta.get(f"wavetank.{name}", False) for name in ("quiet", "verbose"))
    settings.quiet, settings.verbose, errors.quiet = quiet, verbose, quiet
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose cannot be used together", context)
