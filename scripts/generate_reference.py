"""Writes docs/reference from the code: the command line, the Experiment document, and the tables of results.

Run it after a change of either: `python scripts/generate_reference.py`. A test holds that the pages are current.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from wavetank.cli.main import cli
from wavetank.documents.fieldtable import FieldTable
from wavetank.experiments.document import fields as experiment
from wavetank.results import schema
from wavetank.sweeps import documentfields as sweeps
from wavetank.workloads import documentfields as workloads

FOLDER = Path(__file__).parents[1] / "docs/reference"
_WRITTEN = "Written by `scripts/generate_reference.py` from the code; do not edit."


class Section(NamedTuple):
    """A part of the Experiment document: its title, a sentence, and its fields."""

    title: str
    words: str
    table: FieldTable


SECTIONS = (
    Section("The document", "", experiment.TOP),
    Section("metadata", "", experiment.METADATA),
    Section("spec", "", experiment.SPEC),
    Section("spec.cluster", "At least one of `nodes`, `file` and `files`; they add up.", experiment.CLUSTER),
    Section("spec.cluster.nodes[]", "A group of equal nodes.", workloads.NODE_GROUP),
    Section(
        "spec.workload",
        "Exactly one of `file`, `files`, `generator` and `generators`; the next three go with files.",
        experiment.WORKLOAD,
    ),
    Section("spec.workload.generator", "Fields of every kind; those of each kind follow.", workloads.GENERATOR),
    *(
        Section(f"kind: {kind}", "Of a generator, besides the fields above.", table)
        for kind, table in workloads.GENERATOR_KINDS.items()
    ),
    Section("spec.workload.inflate", "", workloads.INFLATE),
    Section(
        "spec.schedulers[]",
        "At most one of `config`, `policy`, `python`, `volcano`, `process` and `together`.",
        experiment.SCHEDULER,
    ),
    Section("spec.schedulers[].volcano", "See [volcano.md](../volcano.md).", experiment.VOLCANO),
    Section(
        "spec.schedulers[].process",
        "One of `package`, `binary`, `command` and `listen`. See [in-the-loop.md](../in-the-loop.md).",
        experiment.PROCESS,
    ),
    Section(
        "spec.schedulers[].process.sync",
        "See [in-the-loop-unmodified.md](../in-the-loop-unmodified.md).",
        experiment.SYNC,
    ),
    Section("spec.controllers.process", "A real controller manager in the loop.", experiment.MANAGER),
    Section("spec.latency", "If it is no preset: how long each step takes.", experiment.LATENCY),
    Section("spec.faults[]", "`at`, and exactly one of the actions.", experiment.FAULT),
    Section("spec.sweep", "See [how to sweep scenarios](../how-to/sweep-scenarios.md).", sweeps.SWEEP),
    Section("spec.sweep.clusters[]", "", sweeps.CLUSTER_VARIANT),
    Section("spec.sweep.workloads[]", "", sweeps.WORKLOAD_VARIANT),
    Section("spec.sweep.scenarios[]", "", sweeps.SCENARIO),
)

_INTRODUCTION = f"""# The Experiment document

{_WRITTEN}

Every field of the document that `wavetank run` and `wavetank sweep` read, with its type and default. Other fields
are refused with a message that names the place. What fields do together is told in
[experiments.md](../experiments.md), which also says how [durations, distributions and
quantities](../experiments.md#durations-and-quantities) are written. Files are relative to the document's folder."""

_DIRECTIONS = {"lower": "↓", "higher": "↑", "": ""}

_ASSERTIONS = """## spec.assert[]

An assertion compares two expressions (`<` `<=` `>` `>=` `==` `!=`) of numbers, metrics, `+ - * /` and brackets. A
metric is its mean over the seeds. `metric(scheduler)` is that of one scheduler; where a metric stands without one,
the assertion is made of every scheduler. If one fails the command ends with status 1.

Metrics: """


def write_experiment() -> str:
    """Returns the page of the Experiment document."""
    parts = [_INTRODUCTION, *(part for section in SECTIONS for part in _section(section))]
    return "\n\n".join([*parts, _ASSERTIONS + ", ".join(f"`{metric}`" for metric in schema.METRIC_NAMES) + "."]) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    if section.words:
        yield section.words
    rows = [
        f"| `{field.name}` | {field.type} | {_code(field.default)} | {field.meaning} |"
        for field in section.table.fields
    ]
    yield "\n".join(["| field | type | default | meaning |", "|---|---|---|---|", *rows])


def _code(default: str) -> str:
    """Marks a default that could be written in a document."""
    return default if (" " in default and default[0] not in "[{") or default in ("required", "none") else f"`{default}`"


_RESULTS = f"""# Tables of results

{_WRITTEN}

Every column of the files that `wavetank run` and `wavetank sweep` write; [experiments.md](../experiments.md#results)
shows the folders. Times are in seconds since the start of the run. An empty cell is a value that does not exist, such
as the start of a pod that never started. An *optional* column is left out if no row has a value. In the last column,
↓ means that lower is better, ↑ that higher is better."""


def write_results() -> str:
    """Returns the page of the tables of results."""
    parts = [_RESULTS, "## Of an experiment", *_table(schema.SUMMARY), "## Of a run"]
    parts += [part for table in schema.RUN_TABLES for part in _table(table)]
    parts += ["## Of a sweep", *(part for table in schema.SWEEP_TABLES for part in _table(table))]
    return "\n\n".join(parts) + "\n"


def _table(table: schema.Table) -> Iterator[str]:
    yield f"### {table.file}"
    yield f"{table.rows[0].upper()}{table.rows[1:]}."
    rows = [_column(column) for column in table.columns if table is schema.SUMMARY or column not in schema.METRICS]
    yield "\n".join(["| column | type | unit | meaning | |", "|---|---|---|---|---|", *rows])
    if table is schema.SWEEP_SUMMARY:
        yield f"And all metrics of [{schema.SUMMARY.file}](#summarycsv) of an experiment."


def _column(column: schema.Column) -> str:
    kind = {str: "text", int: "integer", float: "number"}[column.type]
    meaning = column.meaning + (" (*optional*)" if column.optional else "")
    return f"| `{column.name}` | {kind} | {column.unit} | {meaning} | {_DIRECTIONS[column.better]} |"


def write_command_line() -> str:
    """Returns the page of the command line."""
    parts = [f"# The command line\n\n{_WRITTEN}", *_commands("wavetank", cli)]
    statuses = "What the exit statuses mean is told in [experiments.md](../experiments.md#exit-statuses)."
    return "\n\n".join([*parts, statuses]) + "\n"


def _commands(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield f"## {path}"
    yield f"```\n{' '.join([path, *command.collect_usage_pieces(context)])}\n```"
    yield _words(command.help or "")
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    rows = [_option(option, context) for option in options if "--help" not in option.opts]
    if rows:
        yield "\n".join(["| option | meaning |", "|---|---|", *rows])
    examples = [line[2:] for line in (command.epilog or "").splitlines() if line.startswith("  ")]
    if examples:
        yield "\n".join(["```", *examples, "```"])
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None:
                yield from _commands(f"{path} {name}", subcommand)


def _words(text: str) -> str:
    """Joins the lines of each paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _option(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    names, words = record if record else (", ".join(option.opts), "")
    return f"| {_cell(f'`{names}`')} | {_cell(_words(words))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def pages() -> Mapping[str, str]:
    """Returns the pages by the names of their files."""
    return {
        "experiment.md": write_experiment(),
        "command-line.md": write_command_line(),
        "results.md": write_results(),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
