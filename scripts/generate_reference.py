"""Writes docs/reference from the code: the command line, the Experiment document, tables of results, the Python API.

Run it after a change of one of them: `python scripts/generate_reference.py`. A test holds that the pages are current.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from api_page import write_api
from wavetank.cli.main import cli
from wavetank.controllers.clusterautoscaler.flags import HonouredFlag, honoured_flags
from wavetank.controllers.clusterautoscaler.options import EXPANDERS
from wavetank.documents.structure import Field, Structure
from wavetank.results import schema
from wavetank.sweeps.spec import SweepDocument

FOLDER = Path(__file__).parents[1] / "docs/reference"
_WRITTEN = "`scripts/generate_reference.py` generates this page from the code; do not edit it."


_INTRODUCTION = f"""# The Experiment document

{_WRITTEN}

This page lists every field of the document that `wavetank run` and `wavetank sweep` read, with its type and default.
Other fields are rejected with a message that names them. [experiments.md](../experiments.md) explains how the fields
work together and the format of [durations, distributions and
quantities](../experiments.md#durations-and-quantities). File names are relative to the document's folder."""

_DIRECTIONS = {"lower": "↓", "higher": "↑", "": ""}

_ASSERTIONS = """## spec.assert[]

An assertion compares two expressions (`<` `<=` `>` `>=` `==` `!=`) of numbers, metrics, `+ - * /` and brackets. A
metric is its mean over the seeds. `metric(scheduler)` is the metric of one scheduler; without a scheduler, the
assertion must hold for every scheduler. If an assertion fails, the command ends with status 1.

Metrics: """


def write_experiment() -> str:
    """Returns the page of the Experiment document."""
    parts = [_INTRODUCTION, *_sections("The document", "", SweepDocument, [])]
    return "\n\n".join([*parts, _ASSERTIONS + ", ".join(f"`{metric}`" for metric in schema.METRIC_NAMES) + "."]) + "\n"


def _sections(title: str, path: str, structure: type[Structure], written: list[type[Structure]]) -> Iterator[str]:
    """Yields the section of a structure and those of its parts; fields that a base class has are not repeated."""
    above = {name for base in written if issubclass(structure, base) for name in base.fields}
    fields = [field for name, field in structure.fields.items() if name not in above]
    written.append(structure)
    yield f"## {title}"
    yield " ".join((structure.__doc__ or "").split())
    yield "\n".join(["| field | type | default | meaning |", "|---|---|---|---|", *map(_row, fields)])
    for field in fields:
        for place, part in field.type.parts:
            if not any(issubclass(each, part) for each in written):
                inner = f"{path}.{field.name}{place}".lstrip(".")
                kind = place.partition(" ")[2]
                yield from _sections(kind or inner, inner, part, written)


def _row(field: Field[Any]) -> str:
    kind = f"{field.type.label} ({field.unit})" if field.unit else field.type.label
    return f"| `{field.name}` | {kind} | {_default(field)} | {field.doc} |"


def _default(field: Field[Any]) -> str:
    if field.required:
        return "required"
    default = field.otherwise if field.default is None else _written(field.default)
    is_prose = (" " in default and default[0] not in "[{") or default in ("required", "none")
    return default if is_prose else f"`{default}`"


def _written(value: object) -> str:
    """Writes a value as YAML does, in one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_written(each)}" for key, each in value.items()) + "}"
    needs_no_quotes = isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w-]*|\d+[A-Za-z]+", value)
    return value if isinstance(value, str) and needs_no_quotes else json.dumps(value)


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


_FLAGS = f"""# Flags of the cluster autoscaler

{_WRITTEN}

The built-in cluster autoscaler honours these flags of cluster-autoscaler 1.35, stated without dashes in front as
`autoscaler: {{scan-interval: 20s}}` in an [experiment](experiment.md#spec). Any other flag is rejected with a message
that names it. [How to scale nodes](../how-to/scale-nodes.md) shows them at work.

The expanders are {", ".join(f"`{name}`" for name in EXPANDERS)}. A node group overrides a flag marked *group* by the
annotation `cluster.x-k8s.io/autoscaling-options-` and the name without dashes, such as
`cluster.x-k8s.io/autoscaling-options-scaledownunneededtime: 4m`."""


def write_flags() -> str:
    """Returns the page of the autoscaler's flags."""
    rows = [
        f"| `{flag.name}` | {f'`{flag.default}`' if flag.default else ''} | {flag.meaning} | {_group(flag)} |"
        for flag in honoured_flags()
    ]
    return "\n".join([_FLAGS, "", "| flag | default | meaning | |", "|---|---|---|---|", *rows]) + "\n"


def _group(flag: HonouredFlag) -> str:
    return "*group*" if flag.of_group and flag.name != "ignore-daemonsets-utilization" else ""


_COMMON = frozenset({"--help", "--quiet", "--verbose"})
_COMMAND_LINE = f"""# The command line

{_WRITTEN}

Every command has these options, which are not repeated below:

| option | meaning |
|---|---|
| `-h, --help` | Show the options of the command, with examples. |
| `-q, --quiet` | Print only results and errors: no progress and no warnings. |
| `-v, --verbose` | Print all warnings, how long it took, and the traceback of an error; of a server, all requests. |

Results are printed on the standard output; progress, warnings and errors on the standard error. Commands with `--json`
print one JSON document there and nothing else. `python -m wavetank` is the same as `wavetank`.
[How to complete commands in your shell](../how-to/complete-commands-in-the-shell.md)."""


def write_command_line() -> str:
    """Returns the page of the command line."""
    parts = [_COMMAND_LINE, *_commands("wavetank", cli)]
    statuses = "[experiments.md](../experiments.md#exit-statuses) describes the exit statuses."
    return "\n\n".join([*parts, statuses]) + "\n"


def _commands(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield f"## {path}"
    yield f"```\n{' '.join([path, *command.collect_usage_pieces(context)])}\n```"
    yield _words(command.help or "")
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    rows = [_option(option, context) for option in options if not (option.hidden or _COMMON.intersection(option.opts))]
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


_API = f"""# Python API reference

{_WRITTEN}

Every function and class that `wavetank` and `wavetank.testing` export. [python.md](../python.md) shows how to use
them."""


def pages() -> Mapping[str, str]:
    """Returns the pages by the names of their files."""
    return {
        "experiment.md": write_experiment(),
        "command-line.md": write_command_line(),
        "results.md": write_results(),
        "autoscaler-flags.md": write_flags(),
        "python-api.md": write_api(_API),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
