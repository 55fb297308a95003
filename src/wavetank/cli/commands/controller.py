from __future__ import annotations

import click

from wavetank.cli.building import build_and_show, list_programs
from wavetank.cli.outputoptions import json_option
from wavetank.cluster.releases import SERVED

_EXAMPLES = f"""\b
Examples:
  wavetank controller build kueue
  wavetank controller build karpenter --version v1.12.0
  wavetank controller build volcano
  wavetank controller build kube-controller-manager --version {SERVED.tag}
  wavetank controller build cluster-autoscaler --package ~/src/autoscaler/cluster-autoscaler
  wavetank controller build my-operator --package ./cmd/manager
  wavetank controller list
"""

_HELP = """Build real controllers that run in virtual time, and list them.

An experiment runs such programs beside its schedulers, with the same results byte for byte every time:
controllers: [{name: kueue, process: {}}].
"""


@click.group(name="controller", help=_HELP, epilog=_EXAMPLES)
def command() -> None:
    """Groups the subcommands."""


@command.command(epilog=_EXAMPLES)
@click.argument("name")
@click.option(
    "--version",
    help=f"Of a known program, its version; else the release of Kubernetes, e.g. {SERVED.tag}.  "
    "[default: the tested version; that of the package's module]",
)
@click.option("--go", help="The go command to build with.  [default: go on the PATH]")
@click.option("--package", help="A folder with a main package, or an import path with a version.")
@json_option
def build(name: str, version: str | None, go: str | None, package: str | None, as_json: bool) -> None:
    """Build a controller that runs in virtual time, with your Go toolchain and Go's module proxy.

    NAME is a known program (kueue, karpenter, volcano: its scheduler, controllers and webhooks), a
    command of Kubernetes (kube-controller-manager), or with --package any name. A folder's module must
    use k8s.io/kubernetes or k8s.io/client-go. It is kept in ~/.cache/wavetank.
    """
    build_and_show(name, version, go, package, as_json)


@command.command(name="list", epilog=_EXAMPLES)
@json_option
def list_(as_json: bool) -> None:
    """List the programs that you have built."""
    list_programs(f"wavetank controller build kube-controller-manager --version {SERVED.tag}", as_json)
