"""Writes src/wavetank/apiserver/gotypes/gotypes.json.gz: the internal Go types that some error messages show.

Reads the type declarations in the Go modules k8s.io/api and apimachinery (what clients see) and kubernetes (the
internal types), and keeps only the names and types of the internal fields, and what clients call them.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from sources import ROOT, go_module

TARGET = ROOT / "src/wavetank/apiserver/gotypes/gotypes.json.gz"
VERSIONS = {"autoscaling": ("v1", "v2"), "apidiscovery": ("v2",)}
SIMPLE = {"string": "s", "bool": "b", "byte": "y", "float64": "f", "float32": "f", "rune": "i", "any": "a"}
FOREIGN = {
    "resource.Quantity": "q",
    "intstr.IntOrString": "x",
    "metav1.Time": "t",
    "metav1.MicroTime": "u",
    "metav1.Duration": "d",
    "runtime.RawExtension": "a",
    "runtime.Object": "a",
    "interface{}": "a",
    "types.UID": "s",
    "types.NodeName": "s",
    "types.NamespacedName": "a",
    "JSON": "a",
    "JSONSchemaProps": "a",
    "FieldsV1": "a",
}
# Internal fields that stand elsewhere in what clients see.
MOVED = {
    ("core", "PodSecurityContext"): {
        "HostNetwork": "hostNetwork",
        "HostPID": "hostPID",
        "HostIPC": "hostIPC",
        "ShareProcessNamespace": "shareProcessNamespace",
        "HostUsers": "hostUsers",
    }
}

Field = tuple[str, str, str]  # Go name (empty if embedded), type, JSON tag


class Package:
    """The types declared in one Go package."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.structs: dict[str, list[Field]] = {}
        self.named: dict[str, str] = {}
        self.imports: dict[str, str] = {}
        for file in sorted(folder.glob("*types*.go")):
            if not file.name.endswith("_test.go") and not file.name.startswith("zz_"):
                self._read(_without_comments(file.read_text()))

    def _read(self, text: str) -> None:
        for alias, path in re.findall(r'^(?:import)?\s+(\w*)\s*"(k8s\.io/[^"]+)"', text, re.M):
            self.imports[alias or path.rsplit("/", 1)[1]] = path
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S):
            self.structs[name] = _fields(body)
        for name, target in re.findall(r"^type (\w+) =? ?([^\s{(]+(?:\{\})?)$", text, re.M):
            if target != "struct":
                self.named[name] = target


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def _fields(body: str) -> list[Field]:
    found: list[Field] = []
    for line in body.splitlines():
        match = re.fullmatch(r"\s*(?:(\w+(?:, \w+)*)\s+)?([^\s`]+)\s*(?:`(.*)`)?\s*", line)
        if match is None:
            continue
        tag = re.search(r'json:"([^"]*)"', match[3] or "")
        found.extend((name, match[2], tag[1] if tag else "") for name in (match[1] or "").split(", "))
    return found


class Universe:
    """All packages, and the types of one written in the short form of the table."""

    def __init__(self) -> None:
        self.packages: dict[str, Package] = {}
        self.internal: list[str] = []
        self._load("meta/v1", go_module("apimachinery") / "pkg/apis/meta/v1")
        for group in sorted(go_module("api").iterdir()):
            for version in VERSIONS.get(group.name, ("v1",)):
                self._load(f"{group.name}/{version}", group / version)
        for group in sorted((go_module("kubernetes") / "pkg/apis").iterdir()):
            self._load(group.name, group)
            self.internal += [group.name] if group.name in self.packages else []

    def _load(self, name: str, folder: Path) -> None:
        if (folder / "types.go").exists():
            self.packages[name] = Package(name, folder)

    def short(self, package: Package, go: str) -> str:
        """Writes a Go type as the table does: `*s`, `[]core/v1.Container`, `{}q`."""
        if go.startswith("*"):
            return "*" + self.short(package, go[1:])
        if go == "[]byte":
            return "y"
        if go.startswith("[]"):
            return "[]" + self.short(package, go[2:])
        if go.startswith("map["):
            return "{}" + self.short(package, go[go.index("]") + 1 :])
        if go in FOREIGN or go in SIMPLE:
            return FOREIGN.get(go) or SIMPLE[go]
        if re.fullmatch(r"u?int\d*", go):
            return "i"
        return self._declared(package, go)

    def _declared(self, package: Package, go: str) -> str:
        owner, name = package, go
        if "." in go:
            alias, name = go.split(".")
            path = package.imports.get(alias, alias)
            found = self.packages.get("/".join(path.split("/")[-2:])) or self.packages.get(path.split("/")[-1])
            if path == "k8s.io/apimachinery/pkg/apis/meta/v1":
                found = self.packages["meta/v1"]
            if f"metav1.{name}" in FOREIGN and found is self.packages["meta/v1"]:
                return FOREIGN[f"metav1.{name}"]
            if found is None:
                return "a"
            owner = found
        if owner.name == "meta/v1" and f"metav1.{name}" in FOREIGN:
            return FOREIGN[f"metav1.{name}"]
        if name in owner.structs:
            return f"{owner.name}.{name}"
        return self.short(owner, owner.named[name]) if name in owner.named else "a"

    def flat(self, package: Package, name: str) -> list[tuple[Package, Field]]:
        """Returns the fields of a struct with those of embedded structs in their place."""
        fields: list[tuple[Package, Field]] = []
        for field in package.structs[name]:
            go_name, go, tag = field
            if go_name and not tag.startswith(","):
                fields.append((package, field))
                continue
            target = self._declared(package, go.lstrip("*"))
            if target == "meta/v1.ObjectMeta" and not tag:  # internal types show their metadata as their own fields
                fields.append((package, ("", go, "")))
            elif tag and not tag.startswith(","):  # embedded but named in JSON: metav1.ObjectMeta
                fields.append((package, (go.split(".")[-1], go, tag)))
            elif "." in target:
                owner, _, inner = target.rpartition(".")
                fields.extend(self.flat(self.packages[owner], inner))
        return fields


def internal_table(universe: Universe) -> dict[str, list[Any]]:
    """Returns the fields of internal types in order: Go name, name in what clients see, type."""
    table: dict[str, list[Any]] = {}
    for package in (universe.packages[name] for name in universe.internal):
        version = VERSIONS.get(package.name, ("v1",))[-1]
        seen_by_clients = universe.packages.get(f"{package.name}/{version}")
        for name in package.structs:
            names = _json_names(universe, seen_by_clients, name) | MOVED.get((package.name, name), {})
            fields = universe.flat(package, name)
            names[""] = "metadata"
            rows = [[field[0], names.get(field[0], ""), universe.short(owner, field[1])] for owner, field in fields]
            table[f"{package.name}.{name}"] = rows
    return table


def _json_names(universe: Universe, package: Package | None, name: str) -> dict[str, str]:
    if package is None or name not in package.structs:
        return {}
    return {field[0]: field[2].split(",")[0] for _, field in universe.flat(package, name)}


def reachable(table: dict[str, list[Any]], roots: list[str]) -> dict[str, list[Any]]:
    """Returns the part of a table that the roots need."""
    found: dict[str, list[Any]] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in table and name not in found:
            found[name] = table[name]
            waiting.extend(re.sub(r"^(\*|\[\]|\{\})+", "", row[2]) for row in table[name])
    return dict(sorted(found.items()))


INTERNAL_ROOTS = [
    "core.PodSpec",
    "core.PodTemplateSpec",
    "core.NodeAddress",
    "core.ScopeSelector",
    "core.PersistentVolumeSource",
    "core.PersistentVolumeClaimSpec",
    "core.Taint",
    "core.Toleration",
    "core.ServicePort",
    "core.ServiceSpec",
    "core.NodeSpec",
    "core.ResourceQuotaSpec",
    "core.LimitRangeItem",
    "core.EndpointPort",
    "core.TopologySpreadConstraint",
    "apps.DaemonSetUpdateStrategy",
    "apps.DeploymentStrategy",
    "apps.StatefulSetSpec",
    "apps.StatefulSetUpdateStrategy",
    "batch.JobSpec",
    "policy.PodDisruptionBudgetSpec",
    "storage.StorageClass",
    "storage.CSIDriverSpec",
    "storage.CSINodeDriver",
    "storage.VolumeAttachmentSpec",
    "rbac.RoleRef",
    "rbac.PolicyRule",
    "flowcontrol.FlowSchemaSpec",
    "flowcontrol.PriorityLevelConfigurationSpec",
    "networking.NetworkPolicyPeer",
    "networking.IngressBackend",
    "resource.ResourceClaimSpec",
    "resource.ResourceClaimTemplateSpec",
    "resource.DeviceClassSpec",
    "autoscaling.HorizontalPodAutoscalerSpec",
    "discovery.EndpointPort",
]


def main() -> None:
    """Writes the table."""
    universe = Universe()
    table = reachable(internal_table(universe), INTERNAL_ROOTS)
    with gzip.GzipFile(TARGET, "wb", mtime=0) as file:
        file.write(json.dumps(table, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
