from __future__ import annotations

from pathlib import Path

import click

from wavetank.cli.console import console, print_json, print_warnings
from wavetank.cli.outputoptions import json_option
from wavetank.snapshots.snapshot import open_snapshot, reduced, write_snapshot
from wavetank.snapshots.taking import take_snapshot

_EXAMPLES = """\b
Examples:
  wavetank snapshot --kubeconfig ~/.kube/config -o prod.yaml.gz
  wavetank snapshot --context staging --anonymize -o staging.yaml.gz
  kubectl get nodes,pods,deploy,rs,sts,ds,jobs,pdb -A -o json > dump.json && wavetank snapshot dump.json -o prod.yaml.gz
"""


@click.command(name="snapshot", epilog=_EXAMPLES)
@click.argument("dumps", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    help="Read this API server.  [default: $KUBECONFIG, ~/.kube/config]",
)
@click.option("--context", metavar="NAME", help="A context of the kubeconfig.  [default: the current one]")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write, gzipped if it ends with .gz.",
)
@click.option("--anonymize", is_flag=True, help="Replace names and labels by pseudonyms, the same in every snapshot.")
@json_option
def command(
    dumps: tuple[Path, ...],
    kubeconfig: Path | None,
    context: str | None,
    out: Path,
    anonymize: bool,
    as_json: bool,
) -> None:
    """Take a snapshot of a cluster, for `whatif`, `capacity`, `explain` and `run --cluster`.

    Reads the objects that matter for scheduling from an API server, or from DUMPS: what `kubectl get -A -o yaml` or
    `-o json` has written. Secrets, ConfigMaps, environment variables, commands and annotations of users are never part
    of a snapshot. Controllers that the dumps lack are inferred from the ownerReferences of pods.
    """
    if dumps and (kubeconfig is not None or context is not None):
        raise click.UsageError("give either DUMPS or --kubeconfig and --context")
    if dumps:
        taken = open_snapshot(dumps)
    else:
        from wavetank.batchoperator.client.remote.kubeconfig import default_path

        taken = take_snapshot(kubeconfig or default_path(), context)
    written = reduced(taken, anonymize)
    write_snapshot(written, out)
    if as_json:
        print_json({"file": str(out), "description": written.description, "warnings": list(written.notes)})
    else:
        console.print(f"{out}: {written.description}", highlight=False, markup=False, soft_wrap=True)
    print_warnings(written.notes)
