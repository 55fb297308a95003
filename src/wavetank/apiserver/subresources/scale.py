from __future__ import annotations

from dataclasses import replace
from functools import partial

from wavetank.apiserver import errors
from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.custom.scale import WrongValueError, set_replicas, show_custom_scale
from wavetank.apiserver.fielderrors import invalid
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.managedfields.applied import APPLY_PATCH, read_applied
from wavetank.apiserver.managedfields.fieldmanager import FieldManager
from wavetank.apiserver.managedfields.scaling import ReplicaPaths, ScaleManagers
from wavetank.apiserver.verbs.fieldmanagers import apply, manager_of
from wavetank.apiserver.verbs.identity import check_name, set_namespace
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.write import Write, Written, patch_type
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.resource import Resource

_REPLICAS = ("f:spec", "f:replicas")
_NOT_LIVE = "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: "
_NO_SCALE = "request to convert CR to an invalid group/version: autoscaling/v1"
_NAMED = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def show_scale(kind: Kind, document: Document) -> Document:
    """Returns the Scale of a workload, given as it is served."""
    if kind.custom is not None:
        return _show_custom(kind.custom, document)
    metadata = {name: document["metadata"][name] for name in _NAMED if name in document["metadata"]}
    spec, status = document.get("spec") or {}, document.get("status") or {}
    shown: Document = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata}
    shown["spec"] = {"replicas": spec["replicas"]} if spec.get("replicas") else {}
    shown["status"] = {"replicas": status.get("replicas") or 0}
    if selector := _selector_text(kind, spec.get("selector") or {}):
        shown["status"]["selector"] = selector
    return shown


def _show_custom(custom: CustomType, document: Document) -> Document:
    assert custom.scale is not None
    try:
        shown, stated = show_custom_scale(custom.scale, document)
    except WrongValueError as error:
        raise errors.plain(str(error)) from None
    if not stated:
        raise errors.internal(f"the spec replicas field {quote(custom.scale.spec_replicas)} does not exist")
    return shown


def update_scale(writer: Writer, write: Write, subresource: Subresource) -> Written:
    """Sets the number of replicas to that of the Scale in the body."""
    scale = writer.read_body(subresource, write.request, write.options)
    set_namespace(write, scale)
    check_name(write, scale)
    old = writer.objects.get(write.kind, write.namespace, write.name)
    document = writer.objects.show(write.kind, old)
    shown = _managed_scale(write.kind, document)
    fields = writer.field_managers.of(subresource, write.kind.group_kind, "scale")
    fields.update(shown, scale, manager_of(write), writer.now)
    return _scale(writer, write, scale, document, old)


def patch_scale(writer: Writer, write: Write, subresource: Subresource) -> Written:
    """Applies a patch to the Scale."""
    old = writer.objects.get(write.kind, write.namespace, write.name)
    document = writer.objects.show(write.kind, old)
    shown, fields = (
        _managed_scale(write.kind, document),
        writer.field_managers.of(subresource, write.kind.group_kind, "scale"),
    )
    if patch_type(write.request) == APPLY_PATCH:
        scale = _applied(fields, write, shown, writer.now)
    else:
        scale = writer.read_patch(subresource, shown, write)
        fields.update(shown, scale, manager_of(write), writer.now)
    set_namespace(write, scale)
    check_name(write, scale)
    return _scale(writer, write, scale, document, old)


def _applied(fields: FieldManager, write: Write, shown: Document, now: str) -> Document:
    """Returns a Scale with what is applied to it; as in the real server, that fails (500) for custom objects."""
    if write.kind.custom is not None and "managedFields" not in shown["metadata"]:
        read_applied(fields.kind, write.request.body)
        raise errors.plain(f"failed to create manager for existing fields: {_NOT_LIVE}{_NO_SCALE}")
    scale = apply(fields, write, shown, now)
    if write.kind.custom is not None and scale["spec"] != shown["spec"]:
        where = f"failed to convert new object (/{write.name}; autoscaling/v1, Kind=Scale) to proper version: "
        raise errors.plain(where + _NO_SCALE)
    return scale


def _managers(kind: Kind, document: Document) -> ScaleManagers:
    paths: ReplicaPaths = {kind.api_version: _REPLICAS}
    custom = kind.custom
    if custom is not None and custom.scale is not None:
        path = tuple(f"f:{name}" for name in custom.scale.spec_replicas.removeprefix(".").split("."))
        paths = {f"{kind.group}/{version}": path for version in custom.schemas}
    return ScaleManagers(document["metadata"].get("managedFields") or [], paths)


def _managed_scale(kind: Kind, document: Document) -> Document:
    """Returns the Scale of a workload, with the managers of its replicas."""
    custom = kind.custom
    if custom is not None and custom.scale is not None:
        shown, _ = show_custom_scale(custom.scale, document)
    else:
        shown = show_scale(kind, document)
    if managers := _managers(kind, document).of_scale():
        shown["metadata"]["managedFields"] = managers
    return shown


def _scale(writer: Writer, write: Write, scale: Document, document: Document, old: Resource) -> Written:
    write = replace(write, subresource="scale", asked=scale, show=partial(_managed_scale, write.kind))
    if write.kind.custom is not None:
        return _scale_custom(writer, write, scale, document, old)
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        mistake = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise errors.invalid("Scale.autoscaling", write.name, [mistake])
    stated = scale["metadata"].get("uid") or old.uid
    if stated != old.uid:
        resource = write.kind.resource.replace(write.kind.plural, f"{write.kind.plural}/scale", 1)
        why = f"Precondition failed: UID in precondition: {stated}, UID in object meta: {old.uid}"
        raise errors.conflict(resource, write.name, why)
    document["spec"] = {**document["spec"], "replicas": replicas}
    _manage(write.kind, document, scale)
    document["metadata"]["resourceVersion"] = scale["metadata"].get("resourceVersion", "")
    return Written(show_scale(write.kind, writer.replace(write, document, old)))


def _manage(kind: Kind, document: Document, scale: Document) -> None:
    """Updates managedFields of a workload after its Scale was written."""
    written = scale["metadata"].get("managedFields") or []
    managed = _managers(kind, document).of_workload(written, kind.api_version)
    document["metadata"] = {**document["metadata"], "managedFields": managed}
    if not managed:
        del document["metadata"]["managedFields"]


def _scale_custom(writer: Writer, write: Write, scale: Document, document: Document, old: Resource) -> Written:
    custom = write.kind.custom
    assert custom is not None
    assert custom.scale is not None
    set_replicas(custom.scale, document, (scale.get("spec") or {}).get("replicas") or 0)
    _manage(write.kind, document, scale)
    if stated := scale["metadata"].get("resourceVersion"):
        document["metadata"]["resourceVersion"] = stated
    written = writer.replace(write, document, old)
    return Written(show_custom_scale(custom.scale, written)[0])


def _selector_text(kind: Kind, selector: Document) -> str:
    if kind.kind == "ReplicationController":
        return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    terms = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    terms += [(each["key"], _expression_text(each)) for each in selector.get("matchExpressions") or []]
    return ",".join(text for _, text in sorted(terms, key=lambda term: term[0]))


def _expression_text(expression: Document) -> str:
    key, operator = expression["key"], expression["operator"]
    if operator in ("Exists", "DoesNotExist"):
        return key if operator == "Exists" else f"!{key}"
    return f"{key} {operator.lower()} ({','.join(sorted(expression.get('values') or []))})"
