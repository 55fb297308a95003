"""JSON Schemas of whole documents, for editors that complete and check them."""

from __future__ import annotations

from wavetank.documents.definitions import Definitions, Schema, SchemaWriter
from wavetank.documents.structure import Structure

DRAFT = "http://json-schema.org/draft-07/schema#"  # what editors support best


class _Collected:
    """The definitions that were asked for so far, by name."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def refer(self, name: str, write: SchemaWriter) -> Schema:
        if name not in self.schemas:
            self.schemas[name] = {}  # so that a definition may refer to itself
            self.schemas[name] = write(self)
        return {"$ref": f"#/definitions/{name}"}


def schema_of(structure: type[Structure], title: str) -> Schema:
    """Returns the JSON Schema of documents with this structure."""
    definitions: Definitions = (collected := _Collected())
    schema = structure.schema(definitions)
    return {"$schema": DRAFT, "title": title, **schema, "definitions": collected.schemas}
