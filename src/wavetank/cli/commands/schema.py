from __future__ import annotations

import json

import click

from wavetank.documents.jsonschema import schema_of
from wavetank.documents.structure import Structure

_EXAMPLES = """\b
Examples:
  wavetank schema experiment > experiment.schema.json
  wavetank schema sweep > sweep.schema.json
"""


@click.command(name="schema", epilog=_EXAMPLES)
@click.argument("document", type=click.Choice(["experiment", "sweep"]))
def command(document: str) -> None:
    """Print the JSON Schema of a document, which editors use to complete and check it.

    Use `experiment` for documents of `wavetank run`, and `sweep` for documents of `wavetank sweep`.
    """
    schema = schema_of(_structure(document), f"wavetank {document}")
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))


def _structure(document: str) -> type[Structure]:
    if document == "sweep":
        from wavetank.sweeps.spec import SweepDocument

        return SweepDocument
    from wavetank.experiments.document.structures.spec import ExperimentDocument

    return ExperimentDocument
