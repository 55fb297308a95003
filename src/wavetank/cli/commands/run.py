from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from wavetank.cli.commands.warmup import warm_up
from wavetank.cli.console import console, errors, print_json, print_verdict, print_warnings
from wavetank.cli.findings import end_with_findings
from wavetank.cli.progress import showing_progress
from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, load_experiment
from wavetank.experiments.document.schedulers import entry_of
from wavetank.experiments.runner import FailedRunsError, run_experiment
from wavetank.experiments.summary import all_warnings, check_results
from wavetank.kernel.garbage import rare_collections
from wavetank.report.nodetable import node_table
from wavetank.report.page.html import write_report
from wavetank.report.table import summary_table
from wavetank.results.attempts.format import Keep
from wavetank.results.layout import REPORT
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.document import experiment_document
from wavetank.results.verdict.verdict import experiment_verdict
from wavetank.results.write.outfolder import check_out, holds_results
from wavetank.simulation.latency.presets import PRESETS
from wavetank.version import __version__

_EXAMPLES = """\b
Examples:
  wavetank run experiment.yaml
  wavetank run experiment.yaml --seeds 1-10 --latency k3s -o out/k3s
  wavetank run experiment.yaml --json | jq -r '.verdict[].text'
  wavetank run --cluster platform.xml --workload jobs.json --scheduler default --scheduler best-fit
  wavetank run --cluster nodes.yaml --workload pods.yaml --scheduler config.yaml --scheduler policy:Mine
"""

# The options that replace fields of the spec: errors in such a field name the option.
_OPTIONS = {
    "cluster": "--cluster",
    "workload": "--workload",
    "schedulers": "--scheduler",
    "seeds": "--seeds",
    "latency": "--latency",
    "kubernetesVersion": "--kubernetes-version",
    "ties": "--ties",
    "horizon": "--horizon",
    "execution": "--execution",
}


@click.command(name="run", epilog=_EXAMPLES)
@click.argument("experiment", required=False, type=click.Path(path_type=Path))
@click.option("--cluster", multiple=True, type=click.Path(path_type=Path), help="A file with nodes; may be repeated.")
@click.option("--workload", type=click.Path(path_type=Path), help="A file with pods or jobs.")
@click.option("--format", "format_", help="The workload's format.  [default: detected from the content]")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the file format, such as case=SchedulingBasic/500Nodes or podsPerJob=one.",
)
@click.option("--lenient", is_flag=True, help="Skip and count unusable entries of the workload.")
@click.option(
    "--scheduler",
    "schedulers",
    multiple=True,
    metavar="NAME|CONFIG.yaml|MODULE:CLASS",
    help="A scheduler to compare; may be repeated.  [default: default]",
)
@click.option("--seeds", metavar="LIST", help="Seeds such as 1-5 or 1,2,7.  [default: 1]")
@click.option("--latency", metavar="PRESET", help=f"The latency model: {' or '.join(PRESETS)}.  [default: ideal]")
@click.option("--execution", type=click.Choice(["kubelet", "k8ssim"]), help="The node model.")
@click.option(
    "--kubernetes-version", metavar="VERSION", help="The Kubernetes release to simulate.  [default: the newest]"
)
@click.option("--ties", type=click.Choice(["random", "exact"]), help="How ties between nodes are broken.")
@click.option("--horizon", metavar="TIME", help="Simulated time after which a run stops, such as 2h.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The results folder.  [default: out/<name>]")
@click.option("--no-replace", is_flag=True, help="Refuse a folder that has results; by default they are replaced.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of parallel runs.  [default: one per core]")
@click.option("--explain", "keep", flag_value="best", help="Record every attempt for `wavetank explain`.")
@click.option(
    "--explain-all", "keep", flag_value="all", help="The same, with all nodes instead of the best 50 and the worst 5."
)
@click.option("--json", "as_json", is_flag=True, help="Print verdict and metrics as JSON instead of tables.")
def command(
    experiment: Path | None,
    cluster: tuple[Path, ...],
    workload: Path | None,
    format_: str | None,
    options: tuple[str, ...],
    lenient: bool,
    schedulers: tuple[str, ...],
    out: Path | None,
    no_replace: bool,
    jobs: int | None,
    keep: Keep | None,
    as_json: bool,
    **changes: str | None,
) -> None:
    """Run an experiment: compare schedulers on a simulated cluster.

    EXPERIMENT is a document of kind Experiment. Options override its fields, or replace the document altogether.
    """
    if experiment is None and not (cluster and workload):
        raise click.UsageError("give an EXPERIMENT, or --cluster and --workload")
    if (format_ or lenient or options) and not workload:
        raise click.UsageError("--format, --option and --lenient go with --workload")
    reading = {"format": format_, "lenient": lenient, "options": _options(options)}
    spec = _spec(cluster, workload, reading, schedulers, changes)
    with rare_collections():
        read = _load(experiment, spec)
        out = out or Path("out") / read.name
        replaces = holds_results(out)
        if replaces and no_replace:
            raise InputError("has results already: choose another folder, or leave out --no-replace", source=str(out))
        check_out(out)
        warm_up(errors)
        try:
            with showing_progress(errors) as progress:
                results = run_experiment(read, out, __version__, progress, jobs, write_report, keep)
        except FailedRunsError as error:
            if error.results:
                show_results(out, all_warnings(read, error.results), as_json)
            raise
    show_results(out, all_warnings(read, results), as_json)
    if replaces:
        errors.print(f"replaced the earlier results in {out}", soft_wrap=True, highlight=False, markup=False)
    end_with_findings(check_results(read.assertions, results), errors if as_json else console)


def show_results(out: Path, warnings: Sequence[str], as_json: bool = False) -> None:
    """Prints the summary of results, the verdict, warnings, and where the results are; or one JSON document."""
    if as_json:
        print_warnings(warnings)
        print_json(experiment_document(out))
        return
    console.print(summary_table(out))
    groups = node_table(out)
    if groups is not None:
        console.print(groups)
    print_verdict(experiment_verdict(ResultsFolder(out)).sentences)
    print_warnings(warnings)
    console.print(f"results: {out}", soft_wrap=True, highlight=False)
    console.print(f"report:  {out / REPORT}", soft_wrap=True, highlight=False)


def _spec(
    cluster: tuple[Path, ...],
    workload: Path | None,
    reading: dict[str, Any],
    schedulers: tuple[str, ...],
    changes: dict[str, str | None],
) -> dict[str, Any]:
    spec: dict[str, Any] = {key: value for key, value in changes.items() if value is not None}
    if "kubernetes_version" in spec:
        spec["kubernetesVersion"] = spec.pop("kubernetes_version")
    if cluster:
        spec["cluster"] = {"files": [str(path.resolve()) for path in cluster]}
        if cluster == (workload,):  # one file is both, and its options choose what of it
            spec["cluster"]["options"] = reading["options"]
    if workload:
        stated = {key: value for key, value in reading.items() if value}
        spec["workload"] = {"file": str(workload.resolve()), **stated}
    if schedulers:
        spec["schedulers"] = [entry_of(scheduler) for scheduler in schedulers]
    return spec


def _options(given: tuple[str, ...]) -> dict[str, Any]:
    """Reads KEY=VALUE pairs, values as YAML reads them."""
    read = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise click.UsageError(f"--option {pair}: expected KEY=VALUE")
        documents = load_documents(value, "--option")
        read[key] = documents[0] if documents else ""
    return read


def _load(experiment: Path | None, spec: Mapping[str, Any]) -> Experiment:
    """Reads the experiment; errors in the value of an option name the option."""
    try:
        return load_experiment(experiment, spec)
    except InputError as error:
        field = re.match(r"spec\.(\w+)", error.path)
        if field is None or field[1] not in spec:
            raise
        raise InputError(error.message, source=_OPTIONS[field[1]]) from None
