"""Writes src/wavetank/apiserver/tables/columns.json: the columns of server-side Tables.

Reads the Go modules k8s.io/kubernetes, api and apimachinery. The names, types, formats and priorities are those of the
printers of kube-apiserver and kube-aggregator; the descriptions, which clients get with every Table, are those that the
printers take from the API's own documentation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sources import ROOT, go_module

TARGET = ROOT / "src/wavetank/apiserver/tables/columns.json"
PRINTERS = "pkg/printers/internalversion/printers.go"
STRING = r'"((?:[^"\\]|\\.)*)"'

# The group of each package of internal types that the printers name.
GROUPS = {
    "admissionregistration": "admissionregistration.k8s.io",
    "api": "",
    "apiserverinternal": "internal.apiserver.k8s.io",
    "apps": "apps",
    "autoscaling": "autoscaling",
    "batch": "batch",
    "certificates": "certificates.k8s.io",
    "coordination": "coordination.k8s.io",
    "discovery": "discovery.k8s.io",
    "flowcontrol": "flowcontrol.apiserver.k8s.io",
    "metav1": "",
    "networking": "networking.k8s.io",
    "nodeapi": "node.k8s.io",
    "policy": "policy",
    "rbac": "rbac.authorization.k8s.io",
    "resource": "resource.k8s.io",
    "scheduling": "scheduling.k8s.io",
    "storage": "storage.k8s.io",
    "storagemigration": "storagemigration.k8s.io",
}
# Registered, but the kind's storage converts to Tables by itself, or the kind is not served by default.
UNUSED = {
    "CSIStorageCapacity.storage.k8s.io",
    "ClusterTrustBundle.certificates.k8s.io",
    "DeviceTaintRule.resource.k8s.io",
    "LeaseCandidate.coordination.k8s.io",
    "MutatingAdmissionPolicy.admissionregistration.k8s.io",
    "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io",
    "PodCertificateRequest.certificates.k8s.io",
    "Status",
    "StorageVersion.internal.apiserver.k8s.io",
    "StorageVersionMigration.storagemigration.k8s.io",
    "Workload.scheduling.k8s.io",
}
# Of kube-aggregator, which has a module of its own.
API_SERVICE = [
    ("Service", "The reference to the service that hosts this API endpoint."),
    ("Available", "Whether this service is available."),
]

Column = tuple[str, str, str, int, str]


def main() -> None:
    """Reads the modules and writes the table."""
    tables = dict(sorted(read_tables()))
    texts = sorted({column[4] for columns in tables.values() for column in columns})
    short = {table: [[*column[:4], texts.index(column[4])] for column in columns] for table, columns in tables.items()}
    lines = [f"  {json.dumps(table)}: {json.dumps(columns)}" for table, columns in short.items()]
    body = ",\n".join(lines)
    descriptions = json.dumps(texts, indent=1, ensure_ascii=False)
    TARGET.write_text(f'{{"columns": {{\n{body}\n}},\n"descriptions": {descriptions}}}\n')
    print(f"{len(tables)} kinds, {len(texts)} descriptions")


def read_tables() -> Iterator[tuple[str, list[Column]]]:
    """Yields the columns of each kind by its GroupKind, those of all other kinds under ""."""
    source = (go_module("kubernetes") / PRINTERS).read_text()
    imports = dict(re.findall(r'(\w+) "(k8s\.io/(?:api|apimachinery)/[^"]+)"', source))
    docs = Documentation(imports)
    kinds = {
        name: (package, kind) for name, package, kind in re.findall(r"func (print\w+)\(\w+ \*(\w+)\.(\w+)", source)
    }
    definitions = dict(definitions_of(source, docs))
    for variable, printer in re.findall(r"h\.TableHandler\((\w+), (\w+)\)", source):
        package, kind = kinds[printer]
        table = f"{kind}.{GROUPS[package]}".rstrip(".")
        if not kind.endswith("List") and table not in UNUSED:
            yield table, definitions[variable]
    name, age = docs.of("metav1", "ObjectMeta", "name"), docs.of("metav1", "ObjectMeta", "creationTimestamp")
    named: Column = ("Name", "string", "name", 0, name)
    yield "", [named, ("Created At", "date", "", 0, age)]
    service: list[Column] = [(column, "string", "", 0, text) for column, text in API_SERVICE]
    yield "APIService.apiregistration.k8s.io", [named, *service, ("Age", "string", "", 0, age)]


def definitions_of(source: str, docs: Documentation) -> Iterator[tuple[str, list[Column]]]:
    """Yields the columns by the name of the Go variable that holds them."""
    found: dict[str, list[Column]] = {}
    variable = ""
    for line in source.splitlines():
        if match := re.search(r"(\w+) :?= .*\[\]metav1\.TableColumnDefinition\{", line):
            variable = match[1]
        elif match := re.match(r'\s*\{Name: "', line):
            found.setdefault(variable, []).append(column_of(line, docs))
    yield from found.items()


def column_of(line: str, docs: Documentation) -> Column:
    """Reads the line that defines a column."""

    def field(name: str) -> str:
        match = re.search(rf"\b{name}: {STRING}", line)
        return json.loads(f'"{match[1]}"') if match else ""

    priority = re.search(r"Priority: (\d)", line)
    text = field("Description")
    if match := re.search(r'Description: (\w+)\.(\w+)\{\}(?:\.(\w+))?\.SwaggerDoc\(\)\["(\w+)"\]', line):
        kind = "ObjectReference" if match[3] == "InvolvedObject" else match[2]
        text = docs.of(match[1], kind, match[4])
    return field("Name"), field("Type"), field("Format"), int(priority[1]) if priority else 0, text


class Documentation:
    """The descriptions of fields, as the generated Go files have them."""

    def __init__(self, imports: dict[str, str]) -> None:
        self._imports = imports

    def of(self, alias: str, kind: str, field: str) -> str:
        """Returns the description of a field, empty where there is none: the printers name some that do not exist."""
        module, _, folder = self._imports[alias].removeprefix("k8s.io/").partition("/")
        path = go_module(module) / folder / "types_swagger_doc_generated.go"
        block = re.search(rf"var map_{kind} = map\[string\]string\{{\n(.*?)\n\}}", path.read_text(), re.S)
        match = re.search(rf'^\s*"{field}":\s*{STRING}', block[1], re.M) if block else None
        return json.loads(f'"{match[1]}"') if match else ""


if __name__ == "__main__":
    main()
