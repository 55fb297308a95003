from __future__ import annotations

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import FieldError, required, unsupported
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.subresources.conditions import set_condition
from wavetank.apiserver.verbs.identity import check_uid, set_namespace
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.write import Write, Written
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time

DONE: Document = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def create_binding(writer: Writer, kind: Kind, namespace: str, request: Request) -> Written:
    """Answers a Binding that was created by itself instead of below its pod."""
    pods = writer.objects.kinds.named("v1", POD)
    assert pods is not None
    return bind(writer, pods, kind, namespace, "", request)


def bind(writer: Writer, pods: Kind, body: Kind | Subresource, namespace: str, name: str, request: Request) -> Written:
    """Assigns a pod to the node that the Binding in the body names; `name` is that of the path, if it has one."""
    options = WriteOptions.read(request, "Create")
    binding = writer.read_body(body, request, options)
    metadata = binding.setdefault("metadata", {})
    write = Write(pods, namespace, name or metadata.get("name", ""), request, options, "binding")
    set_namespace(write, binding)
    writer.admit_creation(write, body, binding)
    if name and name != metadata.get("name"):
        raise errors.bad_request("name in URL does not match name in Binding object")
    mistakes = _mistakes(binding.get("target") or {})
    if mistakes:
        texts = [str(mistake) for mistake in mistakes]
        raise errors.plain(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
    pod = writer.objects.get(pods, namespace, write.name)
    assert isinstance(pod, Pod)
    check_uid(write, binding, pod)
    _check(pod)
    document = _bound(pod, binding, render_time(writer.objects.store.clock.now))
    if not options.dry_run:
        writer.exchange(pods, document, pod)
    return Written(dict(DONE), 201)


def _mistakes(target: Document) -> list[FieldError]:
    found = []
    if target.get("kind", "") not in ("", "Node"):
        found.append(unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        found.append(required("target.name"))
    return found


def _check(pod: Pod) -> None:
    why = ""
    if pod.deleted is not None:
        why = f"pod {pod.name} is being deleted, cannot be assigned to a host"
    elif pod.node_name:
        why = f'pod {pod.name} is already assigned to node "{pod.node_name}"'
    elif pod.gates:
        why = f"pod {pod.name} has non-empty .spec.schedulingGates"
    if why:
        raise errors.conflict("pods/binding", pod.name, why)


def _bound(pod: Pod, binding: Document, now: str) -> Document:
    document = pod.render()
    document["spec"] = {**document["spec"], "nodeName": binding["target"]["name"]}
    set_condition(document, {"type": "PodScheduled", "status": "True"}, now)
    document["status"].pop("nominatedNodeName", None)
    for field in ("annotations", "labels"):
        copied = {**(document["metadata"].get(field) or {}), **(binding["metadata"].get(field) or {})}
        if copied:
            document["metadata"][field] = copied
    return document
