from __future__ import annotations

from wavetank.apiserver import errors
from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.custom.scale import WrongValueError, set_replicas, show_custom_scale
from wavetank.apiserver.fielderrors import invalid, quote
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.objects import Document
from wavetank.apiserver.writing import Write, Writer, Written, check_name, place
from wavetank.cluster.resource import Resource

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
    old = writer.objects.get(write.kind, write.namespace, write.name)
    return _scale(writer, write, scale, old)


def patch_scale(writer: Writer, write: Write, subresource: Subresource) -> Written:
    """Applies a patch to the Scale."""
    old = writer.objects.get(write.kind, write.namespace, write.name)
    document = writer.objects.show(write.kind, old)
    custom = write.kind.custom
    if custom is not None and custom.scale is not None:
        shown, _ = show_custom_scale(custom.scale, document)
    else:
        shown = show_scale(write.kind, document)
    return _scale(writer, write, writer.read_patch(subresource, shown, write), old)


def _scale(writer: Writer, write: Write, scale: Document, old: Resource) -> Written:
    place(write, scale)
    check_name(write, scale)
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        mistake = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise errors.invalid("Scale.autoscaling", write.name, [mistake])
    document = writer.objects.show(write.kind, old)
    if write.kind.custom is not None:
        return _scale_custom(writer, write, scale, document, old)
    document["spec"] = {**document["spec"], "replicas": replicas}
    document["metadata"] = {**document["metadata"], "resourceVersion": scale["metadata"].get("resourceVersion", "")}
    return Written(show_scale(write.kind, writer.replace(write, document, old)))


def _scale_custom(writer: Writer, write: Write, scale: Document, document: Document, old: Resource) -> Written:
    custom = write.kind.custom
    assert custom is not None
    assert custom.scale is not None
    set_replicas(custom.scale, document, (scale.get("spec") or {}).get("replicas") or 0)
    if stated := scale["metadata"].get("resourceVersion"):
        document["metadata"] = {**document["metadata"], "resourceVersion": stated}
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
