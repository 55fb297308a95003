"""Writes src/wavetank/apiserver/schemas/kinds.json: every kind that kube-apiserver serves, without descriptions.

Reads three sources, none of them part of the project:
- `$WAVETANK_SHARED/data/api-transcripts/openapi`: the types, their lists' types and keys, required fields, defaults;
- `$WAVETANK_SHARED/data/api-transcripts/disc-*`: resources with verbs, short names, categories and subresources;
- the Go modules k8s.io/api, apimachinery, apiextensions-apiserver and kube-aggregator: what only the server's own types
  tell, that is protobuf numbers, pointers, omitted zeros and the strategies of patches.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sources import ROOT, go_module, recordings

TARGET = ROOT / "src/wavetank/apiserver/schemas/kinds.json"

# Go types with an encoding of their own, by import path and name.
SPECIAL = {
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "int-or-string",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "any",
    "k8s.io/apimachinery/pkg/apis/meta/v1.Time": "time",
    "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": "microtime",
    "k8s.io/apimachinery/pkg/apis/meta/v1.Duration": "duration",
    "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": "any",
    "k8s.io/apimachinery/pkg/types.UID": "types.UID|string",
    "k8s.io/apimachinery/pkg/types.NodeName": "types.NodeName|string",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "v1.JSON|any",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool": "v1.JSONSchemaPropsOrBool|any",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray": "v1.JSONSchemaPropsOrArray|any",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": (
        "v1.JSONSchemaPropsOrStringArray|any"
    ),
}
SCALARS = {"string": "string", "bool": "bool", "int32": "int32", "int64": "int64", "float64": "float64"}
# Lists of which an empty one that was sent is told from none: it means that no field is managed any more.
TOLD_EMPTY = {"managedFields"}
# Where the types of an OpenAPI name are: "io.k8s.api.core.v1.Pod" is Pod in k8s.io/api/core/v1.
ROOTS = {
    "io.k8s.api.": "k8s.io/api",
    "io.k8s.apimachinery.": "k8s.io/apimachinery",
    "io.k8s.apiextensions-apiserver.": "k8s.io/apiextensions-apiserver",
    "io.k8s.kube-aggregator.": "k8s.io/kube-aggregator",
}

Places = dict[tuple[str, str, str], str]  # (group, version, kind) -> Go type


@dataclass
class GoField:
    """A field of a Go struct; an embedded one has no JSON name."""

    type: str
    name: str
    options: set[str]
    number: int
    strategy: str
    merge_key: str


@dataclass
class GoPackage:
    """The types of one Go package, and which of them are protobuf messages or API kinds."""

    path: str
    imports: dict[str, str] = field(default_factory=dict)
    structs: dict[str, list[GoField]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    registered: list[str] = field(default_factory=list)
    group: str = ""


class GoSource:
    """Reads Go packages of the Kubernetes modules as far as type declarations go."""

    def __init__(self) -> None:
        self._packages: dict[str, GoPackage] = {}

    def package(self, path: str) -> GoPackage:
        """Returns the package of an import path such as k8s.io/api/core/v1."""
        if path not in self._packages:
            _, module, *rest = path.split("/")
            self._packages[path] = read_package(path, go_module(module).joinpath(*rest))
        return self._packages[path]

    def paths(self) -> Iterator[str]:
        """Yields the import paths of all packages of k8s.io/api."""
        root = go_module("api")
        for file in sorted(root.glob("*/*/register.go")):
            yield "k8s.io/api/" + str(file.parent.relative_to(root))


def read_package(path: str, folder: Path) -> GoPackage:
    """Reads the declarations of one folder."""
    package = GoPackage(path)
    for file in sorted(folder.glob("*.go")):
        if file.name.endswith(("_test.go", ".pb.go")) or file.name.startswith(("zz_", "types_swagger")):
            continue
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
        for alias, imported in re.findall(r'^(?:import)?\s+(\w+ )?"(k8s\.io/[^"]+)"', text, flags=re.M):
            package.imports[alias.strip() or imported.rpartition("/")[2]] = imported
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, flags=re.M | re.S):
            package.structs[name] = [parsed for line in body.splitlines() if (parsed := read_field(line))]
        package.structs.update((name, []) for name in re.findall(r"^type (\w+) struct ?\{\}", text, flags=re.M))
        package.names.update(re.findall(r"^type (\w+) ([\w.\[\]*]+)$", text, flags=re.M))
        if file.name == "register.go":
            package.registered = re.findall(r"^\s+&(\w+)\{\},", text, flags=re.M)
            package.group = (re.findall(r'GroupName = "([^"]*)"', text) or [""])[0]
    proto = folder / "generated.proto"
    if proto.exists():
        package.messages = set(re.findall(r"^message (\w+) \{", proto.read_text(), flags=re.M))
    return package


def read_field(line: str) -> GoField | None:
    """Reads `Name Type tags`; None for lines that declare nothing that is encoded."""
    found = re.match(r"\s+(?:(\w+)\s+)?([\w.\[\]*]+)\s+`(.*)`", line)
    if not found:
        return None
    tags = dict(re.findall(r'(\w+):"([^"]*)"', found[3]))
    name, *options = tags.get("json", "").split(",")
    if name == "-" or (not name and "inline" not in options and found[1]):
        return None
    protobuf = tags.get("protobuf", "-").split(",")
    number = int(protobuf[1]) if len(protobuf) > 1 else 0
    strategy, merge_key = tags.get("patchStrategy", ""), tags.get("patchMergeKey", "")
    return GoField(found[2], name, set(options), number, strategy, merge_key)


class Generator:
    """Follows the types from the served kinds and writes each once."""

    def __init__(self, source: GoSource, definitions: dict[str, Any]) -> None:
        self.source = source
        self.definitions = {go_path(name): definition for name, definition in definitions.items()}
        self.structures: dict[str, Any] = {}

    def visit(self, path: str, name: str) -> str:
        """Adds a struct and all that it contains; returns the name it has in the data."""
        short = short_name(path, name)
        if short in self.structures:
            return short
        package = self.source.package(path)
        definition = self.definitions.get(f"{path}.{name}", {})
        record: dict[str, Any] = {}
        self.structures[short] = record
        record["f"] = [self._field(package, each, definition) for each in package.structs[name]]
        if definition.get("required"):
            record["r"] = definition["required"]
        if definition.get("x-kubernetes-map-type"):
            record["a"] = definition["x-kubernetes-map-type"]
        return short

    def _field(self, package: GoPackage, go: GoField, definition: dict[str, Any]) -> dict[str, Any]:
        if not go.name:  # OpenAPI describes the fields of an embedded type with those of the outer one
            inner = {"properties": definition.get("properties", {})}
            self.definitions.setdefault(f"{package.path}.{go.type.lstrip('*')}", inner)
        record: dict[str, Any] = {"n": go.name, "t": self._type(package, go.type.lstrip("*"))}
        described = definition.get("properties", {}).get(go.name, {})
        record["i"] = go.number
        record["p"] = go.type.startswith("*") or go.name in TOLD_EMPTY
        record["o"] = "omitzero" in go.options or ("omitempty" in go.options)
        record["z"] = "omitzero" in go.options
        record["s"] = go.strategy.replace(",", " ")
        record["k"] = go.merge_key
        record["l"] = described.get("x-kubernetes-list-type")
        record["m"] = described.get("x-kubernetes-list-map-keys")
        record["v"] = self._key_defaults(described)
        record["a"] = described.get("x-kubernetes-map-type")
        record["e"] = described.get("enum")
        record["d"] = described.get("default") if described.get("default") not in ({}, "", 0, False) else None
        return {key: value for key, value in record.items() if value or key in "nt"}

    def _key_defaults(self, described: dict[str, Any]) -> list[Any] | None:
        """Returns what the keys of a list's items are where an item does not say it."""
        items = described.get("items", {})
        reference = next((each["$ref"] for each in items.get("allOf", []) if "$ref" in each), items.get("$ref", ""))
        properties = self.definitions.get(go_path(reference.rpartition("/")[2]), {}).get("properties", {})
        keys = described.get("x-kubernetes-list-map-keys") or []
        return [properties.get(key, {}).get("default") for key in keys]

    def _type(self, package: GoPackage, expression: str) -> str:
        if expression == "[]byte":
            return "bytes"
        if expression.startswith("[]"):
            return "[]" + self._type(package, expression[2:].lstrip("*"))
        if expression.startswith("map["):
            return "map:" + self._type(package, expression.partition("]")[2].lstrip("*"))
        if expression in SCALARS:
            return SCALARS[expression]
        qualifier, dot, name = expression.rpartition(".")
        return self._named(self.source.package(package.imports[qualifier]) if dot else package, name)

    def _named(self, package: GoPackage, name: str) -> str:
        special = SPECIAL.get(f"{package.path}.{name}")
        if special:
            return special
        if name in package.structs:
            return self.visit(package.path, name)
        underlying = self._type(package, package.names[name])
        wrapped = "^" if underlying.startswith("[]") and name in package.messages else ""
        return f"{wrapped}{package.path.rpartition('/')[2]}.{name}|{underlying}"


def go_path(name: str) -> str:
    """Returns the Go type of an OpenAPI name."""
    for prefix, root in ROOTS.items():
        if name.startswith(prefix):
            *folders, last = name[len(prefix) :].split(".")
            return f"{'/'.join([root, *folders])}.{last}"
    return name


def short_name(path: str, name: str) -> str:
    """Returns "core.v1.Pod" for Pod in k8s.io/api/core/v1."""
    return ".".join([*path.split("/")[-2:], name])


def read_definitions(folder: Path) -> dict[str, Any]:
    """Returns all types of the OpenAPI documents."""
    definitions: dict[str, Any] = {}
    for file in sorted(folder.glob("v3-*.json.gz")):
        definitions.update(json.loads(gzip.decompress(file.read_bytes())).get("components", {}).get("schemas", {}))
    return definitions


def read_discovery(transcripts: Path) -> list[dict[str, Any]]:
    """Returns the recorded groups, in the order of the server, with resources as aggregated discovery shows them."""
    groups = []
    for line in gzip.decompress((transcripts / "disc-aggregated.jsonl.gz").read_bytes()).splitlines():
        step = json.loads(line)
        asked = (step.get("headers") or {}).get("Accept", "")
        if asked == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList":
            groups += step["response"]["body"]["items"]
    return groups


def kinds_of_group(
    group: dict[str, Any], places: dict[tuple[str, str, str], str], generator: Generator
) -> Iterator[Any]:
    """Yields one record for each resource in each version."""
    name = group["metadata"].get("name", "")
    for version in group["versions"]:
        for resource in version["resources"]:
            own = (name, version["version"])
            record = resource_record(resource, own, places, generator)
            record["plural"], record["singular"] = resource["resource"], resource["singularResource"]
            record["namespaced"] = resource["scope"] == "Namespaced"
            record["short_names"], record["categories"] = resource.get("shortNames", []), resource.get("categories", [])
            record["subresources"] = {
                each["subresource"]: resource_record(each, own, places, generator)
                for each in resource.get("subresources", [])
            }
            yield record


def resource_record(
    resource: dict[str, Any], own: tuple[str, str], places: Places, generator: Generator
) -> dict[str, Any]:
    """Returns what resources and subresources have in common."""
    kind = resource["responseKind"]
    group, version = (kind["group"], kind["version"]) if kind["version"] else own
    path, _, name = places[group, version, kind["kind"]].rpartition(".")
    structure = generator.visit(path, name)
    return {
        "group": group,
        "version": version,
        "kind": kind["kind"],
        "verbs": resource["verbs"],
        "structure": structure,
    }


def read_places(definitions: dict[str, Any], source: GoSource) -> Places:
    """Returns the Go type of each (group, version, kind) that the server knows, also in versions it does not serve."""
    places: Places = {}
    for path in source.paths():
        package = source.package(path)
        for kind in package.registered:
            places[package.group, path.rpartition("/")[2], kind] = f"{path}.{kind}"
    for name, definition in definitions.items():
        for gvk in definition.get("x-kubernetes-group-version-kind", []):
            places[gvk["group"], gvk["version"], gvk["kind"]] = go_path(name)
    return places


def generate() -> dict[str, Any]:
    """Returns the whole table."""
    transcripts = recordings("api-transcripts")
    definitions = read_definitions(transcripts / "openapi")
    source = GoSource()
    generator = Generator(source, definitions)
    places = read_places(definitions, source)
    kinds = [kind for group in read_discovery(transcripts) for kind in kinds_of_group(group, places, generator)]
    generator.visit("k8s.io/apimachinery/pkg/apis/meta/v1", "DeleteOptions")
    known: dict[str, list[str]] = {}
    for group, version, kind in sorted(places):
        known.setdefault(f"{group}/{version}" if group else version, []).append(kind)
    return {"kinds": kinds, "known": known, "structures": generator.structures}


def written(table: dict[str, Any]) -> str:
    """Writes the table with one line for each kind and structure, so that differences can be read."""

    def compact(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))

    kinds = ",\n".join(map(compact, table["kinds"]))
    known = ",\n".join(f"{compact(key)}:{compact(value)}" for key, value in table["known"].items())
    structures = ",\n".join(f"{compact(key)}:{compact(value)}" for key, value in table["structures"].items())
    return f'{{"kinds":[\n{kinds}],\n"known":{{\n{known}}},\n"structures":{{\n{structures}}}}}\n'


def main() -> None:
    """Writes the table."""
    table = generate()
    TARGET.write_text(written(table))
    print(
        f"{TARGET}: {len(table['kinds'])} kinds, {len(table['structures'])} structures, {TARGET.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
