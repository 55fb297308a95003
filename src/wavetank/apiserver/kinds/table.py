"""The kinds that a server serves, and where to find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wavetank.apiserver.kinds.kind import Kind, Subresource
from wavetank.apiserver.kinds.versions import version_rank
from wavetank.apiserver.schemas.records import KindRecord, Records, StructureTable, SubresourceRecord
from wavetank.apiserver.schemas.schema import Schema


class KindTable:
    """All served kinds, by path and by name, in the order in which discovery shows them.

    `known` are the kinds by apiVersion that the server can read without serving them: lists, options, old versions.
    `delete_options` is the schema of a DELETE's body. `revision` changes whenever kinds come or go.
    """

    def __init__(self, kinds: Iterable[Kind], known: Mapping[str, Iterable[str]], delete_options: Schema) -> None:
        self.delete_options = delete_options
        self.revision = 0
        self._known = {version: frozenset(names) for version, names in known.items()}
        self._by_path: dict[tuple[str, str, str], Kind] = {}
        self._by_name: dict[tuple[str, str], Kind] = {}
        self._shadowed: dict[tuple[str, str, str], Kind] = {}
        for kind in kinds:
            self.add(kind)

    @classmethod
    def builtin(cls, features: frozenset[str] = frozenset()) -> KindTable:
        """Returns the kinds of the served release with these feature gates; types are made when they are first used."""
        records = Records.load()
        structures = StructureTable(records.structures)
        kinds = (_kind(record, structures, features) for record in records.kinds)
        return cls(kinds, records.known, structures.schema("meta.v1.DeleteOptions"))

    def add(self, kind: Kind) -> None:
        """Adds a kind; another one at the same path is hidden until this one is removed."""
        self.revision += 1
        path = (kind.group, kind.version, kind.plural)
        if path in self._by_path:
            self._shadowed[path] = self._by_path[path]
        self._by_path[path] = kind
        self._by_name[kind.api_version, kind.kind] = kind

    def remove(self, kind: Kind) -> None:
        """Removes a kind."""
        self.revision += 1
        path = (kind.group, kind.version, kind.plural)
        self._by_path.pop(path, None)
        self._by_name.pop((kind.api_version, kind.kind), None)
        if (shadowed := self._shadowed.pop(path, None)) is not None:
            self.add(shadowed)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_path.values())

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        """Returns the kind that a path names; the group of core is ""."""
        return self._by_path.get((group, version, plural))

    def named(self, api_version: str, kind: str) -> Kind | None:
        """Returns the kind that a document names."""
        return self._by_name.get((api_version, kind))

    def knows(self, api_version: str, kind: str) -> bool:
        """Says whether the server can read such a document, though it may not serve it."""
        return kind in self._known.get(api_version, ()) or (api_version, kind) in self._by_name

    def groups(self) -> dict[str, list[str]]:
        """Returns the groups and their versions, the preferred one first; groups of custom kinds come last, by name."""
        groups: dict[str, list[str]] = {}
        custom: set[str] = set()
        for (group, version, _), kind in self._by_path.items():
            versions = groups.setdefault(group, [])
            if version not in versions:
                versions.append(version)
            if kind.custom is not None:
                custom.add(group)
        for group in sorted(custom):
            groups[group] = sorted(groups.pop(group), key=version_rank, reverse=True)
        return groups


def _kind(record: KindRecord, structures: StructureTable, features: frozenset[str]) -> Kind:
    subresources = {name: _subresource(name, each, structures) for name, each in record.subresources.items()}
    return Kind(
        record.group,
        record.version,
        record.kind,
        record.plural,
        record.singular,
        record.namespaced,
        record.verbs,
        structures.schema(record.structure),
        record.short_names,
        record.categories,
        subresources,
        features=features,
    )


def _subresource(name: str, record: SubresourceRecord, structures: StructureTable) -> Subresource:
    schema = structures.schema(record.structure)
    return Subresource(name, record.group, record.version, record.kind, record.verbs, schema)
