"""`operator` of an experiment: objects as an API server would accept them, and changes of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import User
from wavetank.batchoperator.applications.work import WORK, parse_work
from wavetank.batchoperator.reconcilers.context import OperatorOptions
from wavetank.batchoperator.resources.definitions import definitions
from wavetank.batchoperator.resources.groups import ESI, GCR, GROUPS
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.objects.groupkinds import NAMESPACE, NODE, POD, GroupKind
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.patch import merge_patch
from wavetank.cluster.store.store import Store
from wavetank.documents import reading
from wavetank.errors import InputError
from wavetank.experiments.document.structures.operator import OperatorChangeSpec, OperatorSpec
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds, parse_duration, render_duration
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


def make_operator(
    spec: OperatorSpec, folder: Path, path: str, nodes: Collection[str] | None = None, closed: bool = False
) -> OperatorSetting:
    """Returns the batch operator of an experiment; files are looked for in `folder`.

    `nodes` are the names of all nodes, if they are known; `closed`: only these objects are made, none by a policy.
    """
    checker = _Checker()
    objects = tuple(
        PlannedObject(time, checker.accept(manifest, where)) for manifest, time, where in _objects(spec, folder, path)
    )
    try:
        work = parse_work(spec.work)
    except InputError as error:
        raise error.inside(path=f"{path}.work") from None
    changes = _Changes(checker, objects, nodes, closed)
    form = cast(Literal["labels", "spec"], spec.form)
    return OperatorSetting(
        objects,
        tuple(changes.read(each, f"{path}.changes[{i}]") for i, each in enumerate(spec.changes)),
        OperatorOptions(form=form, scheduler_name=spec.scheduler_name),
        work,
    )


class _Checker:
    """Accepts objects as an API server with the operator's definitions does."""

    def __init__(self) -> None:
        self._store = Store(Clock())
        api = Api(self._store)
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

    def patch(self, manifest: Mapping[str, Any], patch: Mapping[str, Any], path: str) -> None:
        """Applies a merge patch to an object that was accepted; InputError at `path` if it is refused."""
        present = self._store.get(_group_kind(manifest), *_identity(manifest))
        patched = merge_patch(present.render(), patch)
        try:
            if (patched.get("kind"), *_identity(patched)) != (manifest["kind"], *_identity(manifest)):
                raise InputError("its kind, name and namespace cannot be changed")
            self._actor.update(present, patched)
        except (ApiError, InputError) as error:
            problem = error if isinstance(error, InputError) else InputError(str(error))
            raise problem.inside(path=path) from None


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


class _Changes:
    """Reads changes; InputError for those of objects that do not exist, and for patches that are refused."""

    def __init__(
        self, checker: _Checker, objects: Sequence[PlannedObject], nodes: Collection[str] | None, closed: bool
    ) -> None:
        self._checker = checker
        self._nodes = nodes
        self._closed = closed
        self._objects = {(_group_kind(each.manifest), *_identity(each.manifest)): each for each in objects}

    def read(self, spec: OperatorChangeSpec, path: str) -> PlannedChange:
        """Reads a change."""
        change = _change(spec, path)
        if change.kind == NODE and self._nodes is not None:
            if change.name not in self._nodes:
                raise InputError(f"there is no Node {change.name}", path=f"{path}.name")
        elif any(change.kind in (group.batchjob, group.testbed, group.scheduling) for group in GROUPS):
            self._check(change, path)
        return change

    def _check(self, change: PlannedChange, path: str) -> None:
        planned = self._objects.get((change.kind, change.namespace, change.name))
        if planned is None:
            if self._closed or not change.kind.startswith("Scheduling."):  # policies make Schedulings
                kind = change.kind.partition(".")[0]
                raise InputError(f"there is no {kind} {change.namespace}/{change.name}", path=f"{path}.name")
        elif planned.at > change.at:
            raise InputError(f"{change.name} is created only at {render_duration(planned.at)}", path=f"{path}.at")
        elif change.patch is not None:
            self._checker.patch(planned.manifest, change.patch, f"{path}.patch")


def _group_kind(manifest: Mapping[str, Any]) -> GroupKind:
    return f"{manifest['kind']}.{str(manifest['apiVersion']).partition('/')[0]}"


def _identity(manifest: Mapping[str, Any]) -> tuple[str, str]:
    metadata = reading.mapping(manifest.get("metadata") or {}, "metadata")
    return str(metadata.get("namespace") or "default"), str(metadata.get("name"))


def _change(spec: OperatorChangeSpec, path: str) -> PlannedChange:
    if spec.kind not in (*_KINDS, *_CORE) and "." not in spec.kind:
        known = ", ".join((*_KINDS, *_CORE))
        raise InputError(
            f"expected one of {known}, or a kind with its group, got {spec.kind!r:.60}", path=f"{path}.kind"
        )
    kind: GroupKind = _KINDS.get(spec.kind, spec.kind)
    namespace = "" if spec.kind in _CLUSTER_WIDE else spec.namespace
    return PlannedChange(spec.at, kind, namespace, spec.name, spec.patch)
