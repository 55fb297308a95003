"""The published JSON Schemas agree with what is read: whatever loads is accepted, whatever is refused is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft7Validator

from wavetank.documents.jsonschema import schema_of
from wavetank.documents.structure import Structure
from wavetank.errors import InputError
from wavetank.experiments.document.structures.spec import ExperimentDocument
from wavetank.sweeps.spec import SweepDocument

# What a schema cannot say: readers refuse it, and the schema does not.
_BEYOND_SCHEMAS = re.compile(
    "|".join(
        [
            "expected at most",  # a century, a number of seeds or of bursts
            "expected seeds such as",  # 5-1
            "expected a change such as",  # -100 %
            "expected more than 0 bytes",
            "expected an amount above 0",
            "expected bits per second above 0",
            "the link between .* is given twice",
            "expected a period above 0 s",
            "expected a whole number",  # 3.0 is one for JSON Schema
            "a time step of 0",
            "expected 1s or more",
            "expected a table, or idle",  # not both
            "(sessions|syncs) need some time",
            "expected whole seconds",
            "the model .* has",  # other fields than an HPA
            "less than upperBound",
            "expected true, or false without a list of defects",
            "is above the high end",  # of {uniform: [3, 1]}
            "the weights sum to 0|expected weights with a sum above 0",
            "expected a list of controllers|unknown controller|no controller",
            "assertion|metric|expression",  # which have a grammar
        ]
    )
)


@cache
def validator(structure: type[Structure]) -> Draft7Validator:
    return Draft7Validator(schema_of(structure, "test"))


def problems(structure: type[Structure], document: object) -> list[str]:
    """Returns what the schema has against a document."""
    plain = json.loads(json.dumps(document, default=lambda value: f"{value.__module__}:{value.__name__}"))
    return [f"{error.json_path}: {error.message}" for error in validator(structure).iter_errors(plain)]


@contextmanager
def comparing() -> Iterator[None]:
    """Compares every document that is read meanwhile with its schema."""
    with pytest.MonkeyPatch.context() as patch:
        for structure in (ExperimentDocument, SweepDocument):
            patch.setattr(structure, "read", _comparing(structure))
        yield


def _comparing(structure: type[Structure]) -> Any:
    plain_read = structure.read

    def read(document: object, path: str) -> Any:
        found = problems(structure, document)
        try:
            read = plain_read(document, path)
        except InputError as error:
            if not found and not _BEYOND_SCHEMAS.search(str(error)):
                pytest.fail(f"the schema accepts what is refused: {error}")
            raise
        assert not found, "the schema refuses what is accepted"
        return read

    return staticmethod(read)
