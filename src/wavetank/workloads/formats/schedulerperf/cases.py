"""The files of Kubernetes' scheduler_perf: which case and workload is meant, and what its operations create."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile

CASE = "case"  # option: `<case>/<workload>`, or `<case>` for its first workload

_CASE = (
    *("name", "defaultPodTemplatePath", "workloadTemplate", "workloads", "featureGates", "schedulerConfigPath"),
    *("metricsCollectorConfig", "labels"),
)
_WORKLOAD = ("name", "params", "labels", "threshold", "thresholdMetricSelector", "featureGates")


@dataclass(frozen=True)
class Operation:
    """One operation of a case; `number` counts from 0, `path` is its place in the file."""

    number: int
    opcode: str
    given: Mapping[str, Any]
    params: Mapping[str, Any]
    path: str

    def count(self) -> int:
        """Returns how many objects it creates, by `count` or by the workload's parameter of `countParam`."""
        if "countMultiplierParam" in self.given:
            raise InputError("groups of pods are not simulated yet", path=f"{self.path}.countMultiplierParam")
        value = self._param("countParam") if "countParam" in self.given else self.given.get("count", 1)
        return fields.integer(value, f"{self.path}.count", 0, fields.MOST_OBJECTS)

    def _param(self, field: str) -> Any:
        name = fields.text(self.given[field], f"{self.path}.{field}").removeprefix("$")
        if name not in self.params:
            raise InputError(f"the workload has no parameter {name!r:.60}", path=f"{self.path}.{field}")
        return self.params[name]

    def text(self, field: str, default: str = "") -> str:
        """Returns a text of the operation."""
        return fields.text(self.given[field], f"{self.path}.{field}") if field in self.given else default

    def waits(self) -> bool:
        """Tells whether the next operation waits until this one's pods are scheduled."""
        return not self.given.get("skipWaitToCompletion", False)

    def refuse(self, why: str) -> InputError:
        """Returns the error that this operation cannot be simulated."""
        return InputError(f"{self.opcode} {why}", path=f"{self.path}.opcode")


@dataclass(frozen=True)
class PerfCase:
    """One workload of one test case: `name` is `<case>/<workload>`; paths in it are relative to `folder`."""

    name: str
    default_pod: str
    operations: tuple[Operation, ...]
    folder: Path

    def template(self, path: str) -> Mapping[str, Any]:
        """Reads a template; one that Go would have to fill in is refused."""
        source = self.folder / path
        text = read_text(source)
        if "{{" in text:
            raise InputError("Go templates are not filled in: expected a plain manifest", source=str(source))
        documents = load_documents(text, str(source))
        if len(documents) != 1 or not isinstance(documents[0], Mapping):
            raise InputError("expected one manifest", source=str(source))
        return documents[0]


def read_case(file: InputFile) -> PerfCase:
    """Reads the case that the option `case` names, the first one without it."""
    cases = fields.items(file.documents[0] if len(file.documents) == 1 else None, "")
    wanted, _, of_case = fields.text(file.options.get(CASE, "/"), f"options.{CASE}").partition("/")
    i, case = _named(cases, wanted, "", _CASE)
    j, workload = _named(
        fields.items(case.get("workloads"), f"[{i}].workloads"), of_case, f"[{i}].workloads", _WORKLOAD
    )
    params = fields.mapping(workload.get("params") or {}, f"[{i}].workloads[{j}].params")
    default = case.get("defaultPodTemplatePath", "")
    operations = tuple(_operations(case.get("workloadTemplate"), params, f"[{i}].workloadTemplate"))
    return PerfCase(f"{case['name']}/{workload['name']}", str(default), operations, file.path.parent)


def case_names(file: InputFile) -> list[str]:
    """Returns the names of all workloads of all cases, `<case>/<workload>`."""
    cases = fields.items(file.documents[0] if len(file.documents) == 1 else None, "")
    names = []
    for i, item in enumerate(cases):
        case = fields.mapping(item, f"[{i}]")
        for j, workload in enumerate(fields.items(case.get("workloads"), f"[{i}].workloads")):
            of_case = fields.mapping(workload, f"[{i}].workloads[{j}]")
            names.append(f"{case.get('name')}/{of_case.get('name')}")
    return names


def _named(items: list[Any], name: str, path: str, known: tuple[str, ...]) -> tuple[int, Mapping[str, Any]]:
    names = []
    for i, item in enumerate(items):
        given = fields.mapping(item, f"{path}[{i}]", known)
        names.append(fields.text(given.get("name"), f"{path}[{i}].name"))
        if name in ("", names[-1]):
            return i, given
    raise InputError(f"there is no {name!r:.60}: expected one of {', '.join(names)}", path=f"options.{CASE}")


def _operations(value: object, params: Mapping[str, Any], path: str) -> Iterator[Operation]:
    for i, item in enumerate(fields.items(value, path)):
        given = fields.mapping(item, f"{path}[{i}]")
        opcode = fields.text(given.get("opcode"), f"{path}[{i}].opcode")
        yield Operation(i, opcode, given, params, f"{path}[{i}]")
