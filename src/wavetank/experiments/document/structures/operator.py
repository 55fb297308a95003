"""`operator` of an experiment: the batch operator, its objects, and what happens to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.documents import types
from wavetank.documents.rules import OneOf
from wavetank.documents.structure import Structure, field
from wavetank.kernel.durations import Nanoseconds

_KIND = "its kind, such as `Scheduling`, `Node` or, in the older group, `Scheduling.batchjob.gcr.io`"
_MANIFESTS = types.items(types.mapping, "list of manifests")
_FILES = types.items(types.file, "list of files")


class OperatorChangeSpec(Structure):
    """A change of an object while the run goes on: a patch, or its deletion."""

    rules = (OneOf("patch", "delete"),)

    at: Nanoseconds = field(types.duration, doc="when it happens")
    kind: str = field(types.text, doc=_KIND)
    name: str = field(types.text, doc="its name")
    namespace: str = field(types.text, default="default", doc="its namespace")
    patch: Mapping[str, Any] | None = field(types.mapping, default=None, doc="a JSON merge patch")
    delete: bool = field(types.boolean, default=False, doc="deletes it")


class OperatorSpec(Structure):
    """The batch operator, with simulated Spark and Flink operators."""

    rules = (OneOf("file", "files", "objects", most=None, problem="expected file, files or objects"),)

    file: str | None = field(types.file, default=None, doc="a file of Testbeds, BatchJobs and Schedulings")
    files: list[str] | None = field(_FILES, default=None, doc="several of them")
    objects: list[Mapping[str, Any]] | None = field(_MANIFESTS, default=None, doc="such objects written in place")
    changes: list[OperatorChangeSpec] = field(
        types.items(types.nested(OperatorChangeSpec), least=0), default=[], doc="what happens to objects later"
    )
    work: str = field(
        types.text,
        default="60s",
        doc="how long an application runs whose job has no annotation `wavetank.dev/work`: `90s`, "
        "`amdahl 10s 80s` (serial and parallel part) or `table 1=90s 2=50s`",
    )
    form: str = field(
        types.choice(("labels", "spec")), default="labels", doc="how claims and creation requests are written"
    )
    scheduler_name: str = field(
        types.text, default="external-scheduler", doc="the schedulerName of pods that go into slots"
    )
