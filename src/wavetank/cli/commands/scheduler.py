from __future__ import annotations

import click

from wavetank.cli.building import build_and_show, list_programs
from wavetank.cli.outputoptions import json_option
from wavetank.cluster.releases import SERVED

_EXAMPLES = f"""\b
Examples:
  wavetank scheduler build kube-scheduler --version {SERVED.tag}
  wavetank scheduler build my-scheduler --package ./cmd/my-scheduler
  wavetank scheduler build gangs --version v1.34.10 --package sigs.k8s.io/scheduler-plugins/cmd/scheduler@v0.34.7
  wavetank scheduler list
"""

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
@json_option
def build(name: str, version: str | None, go: str | None, package: str | None, as_json: bool) -> None:
    """Build a scheduler that runs in virtual time, with your Go toolchain and Go's module proxy.

    NAME is a command of Kubernetes (kube-scheduler), or with --package any name. The first build
    takes a few minutes; it is kept in ~/.cache/wavetank.
    """
    build_and_show(name, version, go, package, as_json)


@command.command(name="list", epilog=_EXAMPLES)
@json_option
def list_(as_json: bool) -> None:
    """List the programs that you have built."""
    list_programs(f"wavetank scheduler build kube-scheduler --version {SERVED.tag}", as_json)
