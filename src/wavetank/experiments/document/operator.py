"""`operator` of an experiment: objects as an API server would accept them, and changes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import User
from wavetank.batchoperator.applications.work import WORK, parse_work
from wavetank.batchoperator.reconcilers.context import OperatorOptions
from wavetank.batchoperator.resources.definitions import definitions
from wavetank.batchoperator.resources.groups import ESI, GCR
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.objects.groupkinds import NAMESPACE, NODE, POD, GroupKind
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.documents import reading
from wavetank.errors import InputError
from wavetank.experiments.document.structures.operator import OperatorChangeSpec, OperatorSpec
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds, parse_duration
from wavetank.simulation.batchoperator import OperatorSetting, PlannedChange, PlannedObject

# Annotation of an object: when it is created.
SUBMIT = "wavetank.dev/submit"

_KINDS = {
    "BatchJob": ESI.batchjob,
    "Scheduling": ESI.scheduling,
    "Testbed": ESI.testbed,
    "Slot": GCR.testbed,
}
_CLUSTER_WIDE = (NODE, NAMESPACE)
_CORE = (POD, *_CLUSTER_WIDE)


def make_operator(spec: OperatorSpec, folder: Path, path: str) -> OperatorSetting:
    """Returns the batch operator of an experiment; files are looked for in `folder`."""
    checker = _Checker()
    objects = tuple(
        PlannedObject(time, checker.accept(manifest, where)) for manifest, time, where in _objects(spec, folder, path)
    )
    try:
        work = parse_work(spec.work)
    except InputError as error:
        raise error.inside(path=f"{path}.work") from None
    form = cast(Literal["labels", "spec"], spec.form)
    return OperatorSetting(
        objects,
        tuple(_change(each, f"{path}.changes[{i}]") for i, each in enumerate(spec.changes)),
        OperatorOptions(form=form, scheduler_name=spec.scheduler_name),
        work,
    )


class _Checker:
    """Accepts objects as an API server with the operator's definitions does."""

    def __init__(self) -> None:
        api = Api(Store(Clock()))
        self._actor = api.actor(User("system:admin", ("system:masters",)))
        for definition in definitions():
            self._actor.create(definition)

    def accept(self, manifest: Mapping[str, Any], where: InputError) -> Mapping[str, Any]:
        """Returns the object with its defaults; InputError at `where` if it is refused."""
        try:
            if manifest.get("kind") not in (*_KINDS,):
                raise InputError(f"expected a BatchJob, Testbed, Slot or Scheduling, got {manifest.get('kind')!r:.60}")
            metadata = _metadata(manifest)
            made = self._actor.create({**manifest, "metadata": metadata})
        except (ApiError, InputError) as error:
            problem = error if isinstance(error, InputError) else InputError(str(error))
            raise problem.inside(path=where.path, source=where.source) from None
        return {**made.manifest, "metadata": _kept(made.manifest["metadata"])}


def _metadata(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata of a manifest with its namespace; InputError if its parts have other types."""
    metadata = {"namespace": "default", **reading.mapping(manifest.get("metadata") or {}, "metadata")}
    reading.text(metadata.get("name"), "metadata.name")
    annotations = reading.mapping(metadata.get("annotations") or {}, "metadata.annotations")
    if WORK in annotations:
        parse_work(str(annotations[WORK]))
    return metadata


def _kept(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata of an object without what the server has added."""
    wanted = ("name", "namespace", "labels", "annotations")
    return {"namespace": "default", **{name: metadata[name] for name in wanted if name in metadata}}


def _objects(
    spec: OperatorSpec, folder: Path, path: str
) -> Iterator[tuple[Mapping[str, Any], Nanoseconds, InputError]]:
    """Yields the objects in their order, with the time of their creation and their place in the input."""
    for i, manifest in enumerate(spec.objects or ()):
        where = InputError("", path=f"{path}.objects[{i}]")
        yield manifest, _submit_time(manifest, where), where
    for name in [*([spec.file] if spec.file else ()), *(spec.files or ())]:
        file = folder / name
        for i, manifest in enumerate(load_documents(read_text(file), str(file))):
            where = InputError("", path=f"document {i + 1}", source=str(file))
            if not isinstance(manifest, Mapping):
                raise InputError("expected a manifest", path=where.path, source=where.source)
            yield manifest, _submit_time(manifest, where), where


def _submit_time(manifest: Mapping[str, Any], where: InputError) -> Nanoseconds:
    metadata = manifest.get("metadata")
    annotations = (metadata.get("annotations") if isinstance(metadata, Mapping) else None) or {}
    stated = annotations.get(SUBMIT, 0) if isinstance(annotations, Mapping) else 0
    try:
        return parse_duration(stated)
    except InputError as error:
        raise InputError(f"{SUBMIT}: {error.message}", path=where.path, source=where.source) from None


def _change(spec: OperatorChangeSpec, path: str) -> PlannedChange:
    if spec.kind not in (*_KINDS, *_CORE) and "." not in spec.kind:
        known = ", ".join((*_KINDS, *_CORE))
        raise InputError(
            f"expected one of {known}, or a kind with its group, got {spec.kind!r:.60}", path=f"{path}.kind"
        )
    kind: GroupKind = _KINDS.get(spec.kind, spec.kind)
    namespace = "" if spec.kind in _CLUSTER_WIDE else spec.namespace
    return PlannedChange(spec.at, kind, namespace, spec.name, spec.patch)
