from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from wavetank.cli.console import console, print_warnings
from wavetank.cli.ordered import OrderedCommand, ordered_options
from wavetank.errors import InputError

if TYPE_CHECKING:
    from wavetank.planning.whatif.answer import Answer
    from wavetank.planning.whatif.changes import Change
    from wavetank.results.assertions import Finding

_EXAMPLES = """\b
Examples:
  wavetank whatif prod.yaml.gz --drain node-7
  wavetank whatif prod.yaml.gz --add 3xnode-1 --remove pool=old --html answer.html
  wavetank whatif prod.yaml.gz --fail zone=a --assert 'pending == 0'
  wavetank whatif prod.yaml.gz --scheduler profile.yaml --reschedule --json
  wavetank whatif prod.yaml.gz --add-workload team.yaml --scale shop/deploy/web=20
  wavetank whatif prod.yaml.gz --upgrade surge=1 --assert 'unavailable == 0'
"""
_NODES = "by name or label (zone=a, pool=b, key=value), several with commas"
_CHANGES = ("drain", "remove", "cordon", "uncordon", "fail", "add", "add-workload", "scale", "upgrade", "reschedule")


@click.command(name="whatif", cls=OrderedCommand, epilog=_EXAMPLES)
@click.argument("snapshot", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--drain", multiple=True, metavar="NODES", help=f"Cordon nodes and evict their pods: {_NODES}.")
@click.option("--remove", multiple=True, metavar="NODES", help="Delete nodes without draining them.")
@click.option("--cordon", multiple=True, metavar="NODES", help="Let nodes take no more pods.")
@click.option("--uncordon", multiple=True, metavar="NODES", help="Let nodes take pods again.")
@click.option("--fail", multiple=True, metavar="NODES", help="Let nodes fail; their pods are evicted after 5 minutes.")
@click.option(
    "--add",
    multiple=True,
    metavar="NxTEMPLATE",
    help="Add nodes like a node of the cluster, like the Node in a file, or cpu=8,memory=32Gi,zone=a,price=0.4; other "
    "keys are labels: cpu=8,memory=32Gi,tier=web.",
)
@click.option("--add-workload", multiple=True, metavar="FILE", help="Submit the pods and workload resources of a file.")
@click.option("--scale", multiple=True, metavar="KIND/NAME=N", help="Change replicas: deploy/web=20, shop/sts/db=3.")
@click.option("--upgrade", multiple=True, metavar="surge=N", help="Replace all nodes, N at a time; or unavailable=N.")
@click.option("--reschedule", is_flag=True, help="Take all pods off their nodes and schedule them again.")
@click.option(
    "--changes", type=click.Path(path_type=Path), metavar="FILE", help="Changes and assertions in a document."
)
@click.option(
    "--scheduler",
    default="default",
    show_default=True,
    metavar="SCHEDULER",
    help="Places pods that have no node: a name, a KubeSchedulerConfiguration or module:Class.",
)
@click.option("--latency", default="k3s", show_default=True, metavar="PRESET", help="The latency model.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="The seed of the latencies.")
@click.option(
    "--kubernetes-version", "release", metavar="VERSION", help="The Kubernetes release.  [default: the newest]"
)
@click.option("--assert", "asserted", multiple=True, metavar="TEXT", help="End with status 1 if this does not hold.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Also write the answer as a page.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the cluster after the changes as a snapshot.",
)
@click.option("--most", type=click.IntRange(min=1), default=10, show_default=True, help="Rows per table.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    snapshot: tuple[Path, ...],
    changes: Path | None,
    scheduler: str,
    latency: str,
    seed: int,
    release: str | None,
    asserted: tuple[str, ...],
    as_json: bool,
    html: Path | None,
    out: Path | None,
    most: int,
    **_: object,
) -> None:
    """Say what a change would do to a cluster.

    SNAPSHOT is a file of `wavetank snapshot`, or what `kubectl get nodes,pods,… -A -o yaml` has written. The changes
    are made one after the other, in the order of the flags; each begins when the one before has settled. Pods of
    ReplicaSets, StatefulSets and Jobs are created again, those of DaemonSets follow their nodes, bare pods are lost.
    """
    from wavetank.planning.options import read_options
    from wavetank.planning.whatif.question import Question, check_answer, parse_claims
    from wavetank.planning.whatif.reading import read_document
    from wavetank.snapshots.snapshot import open_snapshot

    wanted, texts = read_document(changes) if changes is not None else ([], [])
    wanted += _flagged(ctx)
    claims = parse_claims([*texts, *asserted])
    options = read_options(scheduler, latency, release, seed)
    answer = Question(open_snapshot(snapshot), wanted, options, out).ask()
    findings = check_answer(claims, answer)
    if html is not None:
        from wavetank.report.planning.whatifpage import write_whatif_page

        write_whatif_page(answer, html)
    if as_json:
        import json

        data = answer.data() | {"assertions": [finding._asdict() for finding in findings]}
        click.echo(json.dumps(data, indent=2))
    else:
        _print(answer, findings, html, most)
    if not all(finding.holds for finding in findings):
        ctx.exit(1)


def _flagged(ctx: click.Context) -> list[Change]:
    """Returns the changes of the flags in their order."""
    from wavetank.planning.whatif.reading import read_change

    made = []
    for name, value in ordered_options(ctx, [name.replace("-", "_") for name in _CHANGES]):
        flag = name.replace("_", "-")
        try:
            made.append(read_change(flag, value, Path()))
        except InputError as error:
            raise error if error.source else InputError(error.message, source=f"--{flag}") from None
    return made


def _print(answer: Answer, findings: Sequence[Finding], html: Path | None, most: int) -> None:
    from wavetank.report.planning.whatifview import answer_view

    for part in answer_view(answer, most):
        console.print(part, soft_wrap=isinstance(part, Text), highlight=False)
    if html is not None:
        console.print(f"page: {html}", highlight=False, markup=False, soft_wrap=True)
    for finding in findings:
        verdict = "holds" if finding.holds else "does not hold"
        console.print(f"{verdict}: {finding.assertion} ({finding.detail})", highlight=False, markup=False)
    print_warnings(answer.notes)
