from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.table import Table

from wavetank.cli.console import console
from wavetank.cluster.releases import SERVED
from wavetank.loop.building.build import Progress, build_program
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.overlay import make_overlay
from wavetank.loop.building.toolchain import find_toolchain

_EXAMPLES = f"""\b
Examples:
  wavetank scheduler build kube-scheduler --version {SERVED.tag}
  wavetank scheduler build my-scheduler --package ./cmd/my-scheduler
  wavetank scheduler build gangs --version v1.34.10 --package sigs.k8s.io/scheduler-plugins/cmd/scheduler@v0.34.7
  wavetank scheduler list
"""
_PLAIN_EVERY_S = 15.0


_HELP = f"""Build real schedulers that run in virtual time, and list them.

An experiment runs such a scheduler in virtual time, with the same results byte for byte every time:
schedulers: [{{name: real, process: {{package: kube-scheduler, version: {SERVED.tag}}}}}].
"""


@click.group(name="scheduler", help=_HELP, epilog=_EXAMPLES)
def command() -> None:
    """Groups the subcommands."""


@command.command(epilog=_EXAMPLES)
@click.argument("name")
@click.option("--version", help=f"The release of Kubernetes, e.g. {SERVED.tag}.")
@click.option("--go", help="The go command to build with.  [default: go on the PATH]")
@click.option("--package", help="A folder with a main package, or an import path with a version.")
def build(name: str, version: str | None, go: str | None, package: str | None) -> None:
    """Build a scheduler that runs in virtual time, with your Go toolchain and Go's module proxy.

    NAME is a command of Kubernetes (kube-scheduler), or with --package any name. The first build
    takes a few minutes; it is kept in ~/.cache/wavetank.
    """
    toolchain = find_toolchain(go)
    make_overlay(toolchain)  # a toolchain that cannot be used is refused before anything is downloaded
    console.print(f"building {name} with {toolchain.name} ({toolchain.command})", highlight=False)
    with _showing_progress() as tell:
        program = build_program(toolchain, name, version, package, Cache(), tell)
    console.print(f"{program.name} {program.version}: {program.file}", highlight=False, soft_wrap=True)


@command.command(name="list")
def list_() -> None:
    """List the schedulers that you have built."""
    programs = Cache().list()
    if not programs:
        console.print(f"none yet: wavetank scheduler build kube-scheduler --version {SERVED.tag}", highlight=False)
        return
    table = Table("name", "Kubernetes", "Go", "package", "file", box=None, pad_edge=False, header_style="bold")
    for program in programs:
        table.add_row(program.name, program.version, program.go, program.package, program.file)
    console.print(table)


@contextmanager
def _showing_progress() -> Iterator[Progress]:
    """Shows the progress of a build: a line that changes in a terminal, plain lines elsewhere."""
    begun = time.monotonic()
    if console.is_terminal:
        with console.status("") as status:
            yield lambda what, packages: status.update(_line(what, packages, begun))
        return
    last = begun - _PLAIN_EVERY_S

    def tell(what: str, packages: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_EVERY_S:
            last = time.monotonic()
            console.print(_line(what, packages, begun), highlight=False, soft_wrap=True)

    yield tell


def _line(what: str, packages: int, begun: float) -> str:
    compiled = f", {packages} packages" if packages else ""
    return f"{what}{compiled} ({time.monotonic() - begun:.0f} s)"
