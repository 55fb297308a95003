"""One version of a custom kind: how its documents are read, defaulted, stored and served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.custom.conversion import WebhookConverter
from wavetank.apiserver.custom.rules import RuleNode
from wavetank.apiserver.custom.schema.defaulting import set_schema_defaults
from wavetank.apiserver.custom.schema.embedded import Coercion, read_metadata
from wavetank.apiserver.custom.schema.pruning import drop_nulls, prune
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.errors import plain

_WRITTEN_OUT = 1e21  # larger numbers are written with an exponent


AGE = {
    "name": "Age",
    "type": "date",
    "description": "CreationTimestamp is a timestamp representing the server time when this object was created. It is "
    "not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It "
    "is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    "jsonPath": ".metadata.creationTimestamp",
}


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where a kind has the figures of its scale subresource; paths such as ("spec", "replicas")."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class CustomType:
    """How documents of a custom kind are read, completed and shown in one version.

    `schemas` are those of all versions by their names; documents are stored in `storage_version`. `warning` is sent
    to all clients of the version. `converter` asks a webhook; without one, versions differ by their names only.
    """

    group: str
    version: str
    kind: str
    list_kind: str
    storage_version: str
    schemas: Mapping[str, Structural] = field(repr=False)
    columns: tuple[Document, ...] = field(default=(), repr=False)
    selectable: tuple[str, ...] = ()
    has_status: bool = False
    scale: ScalePaths | None = None
    warning: str = ""
    terminating: bool = False
    rules: RuleNode | None = field(default=None, repr=False)
    converter: WebhookConverter | None = field(default=None, repr=False, compare=False)
    complexity: int = 1  # about how often its schema looks at each value

    @property
    def schema(self) -> Structural:
        """Returns the schema of this version."""
        return self.schemas[self.version]

    def read(self, document: Document) -> tuple[Document, list[str]]:
        """Returns a client's document pruned and completed, and the paths of its unknown fields.

        Raises an UnreadableError where metadata have a wrong type. A document of another kind is left as it is.
        """
        document = copied(document)
        has_metadata = "metadata" in document
        metadata: Document = {}
        unknown: list[str] = []
        if has_metadata:
            metadata, names = read_metadata(document["metadata"])
            unknown = [f"metadata.{name}" for name in names]
        if self._is_ours(document):
            unknown += self._fit(document)
        if has_metadata:
            document["metadata"] = metadata
        self.default(document)
        return document, unknown

    def complete(self, document: Document) -> Document:
        """Returns a document that was merged by its type with its metadata in order and its defaults, nulls included.

        Raises an UnreadableError where metadata have a wrong type.
        """
        document = _copy(document)
        if "metadata" in document:
            document["metadata"] = read_metadata(document["metadata"])[0]
        self.default(document)
        return document

    def default(self, document: Document) -> None:
        """Gives a document, in place, the defaults of the version that it says it is of."""
        if self._is_ours(document):
            set_schema_defaults(document, self.schemas.get(_version_of(document)))

    def store(self, document: Document) -> Document:
        """Returns a document of this version in the one that is stored."""
        return self._convert(dict(_copy(document)), self.storage_version)

    def serve(self, document: Document) -> Document:
        """Returns a stored document in this version: with the defaults of the one in which it was stored.

        StatusError (500) if the definition has that one no longer.
        """
        if self._is_ours(document) and _version_of(document) not in self.schemas:
            raise plain(f"request to convert CR from an invalid group/version: {document['apiVersion']}")
        document = copied(document)
        self._fit(document)
        self.default(document)
        return self._convert(document, self.version)

    def _convert(self, document: Document, version: str) -> Document:
        if _version_of(document) == version:
            return document
        wanted = f"{self.group}/{version}"
        if self.converter is not None and self._is_ours(document):
            document = self.converter.convert(document, wanted)
        else:
            document = {**document, "apiVersion": wanted}
        self._fit(document)
        return document

    def _fit(self, document: Document) -> list[str]:
        """Drops what the schema of a document's version does not know; returns the paths."""
        schema = self.schemas.get(_version_of(document))
        unknown = prune(document, schema)
        drop_nulls(document, schema)
        coercion = Coercion()
        metadata = document.pop("metadata", None)
        coercion.coerce(document, schema)
        if metadata is not None:
            document["metadata"] = metadata
        return unknown + sorted(coercion.unknown)

    def _is_ours(self, document: Mapping[str, Any]) -> bool:
        return document.get("kind") == self.kind and str(document.get("apiVersion")).rpartition("/")[0] == self.group


def _version_of(document: Mapping[str, Any]) -> str:
    return str(document.get("apiVersion", "")).rpartition("/")[2]


def _copy(value: Any) -> Any:
    """Returns a copy in which whole numbers are such, as they are once Go has written them."""
    if isinstance(value, dict):
        return {name: _copy(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_copy(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _WRITTEN_OUT else value
