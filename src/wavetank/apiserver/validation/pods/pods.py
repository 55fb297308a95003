"""Pods, as they are created, and templates of pods."""

from __future__ import annotations

import re

from wavetank.apiserver.fielderrors import forbidden, invalid
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, structs
from wavetank.apiserver.validation.metadata import check_annotations, check_labels, check_metadata
from wavetank.apiserver.validation.pods.containers import check_image_spaces
from wavetank.apiserver.validation.pods.podspec import check_pod_spec

MIRROR = "kubernetes.io/config.mirror"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_MAX_INT32 = 2**31 - 1


def check_pod(pod: Document) -> Errors:
    """Checks a new pod."""
    yield from check_pod_content(pod)
    spec = pod["spec"]
    if spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


def check_pod_content(pod: Document) -> Errors:
    """Checks what must always be true of a pod."""
    metadata, spec = pod["metadata"], pod["spec"]
    yield from check_metadata(metadata, True, names.subdomain_problems)
    yield from check_pod_annotations(metadata.get("annotations") or {}, spec, "metadata.annotations")
    yield from check_pod_spec(spec, metadata, "spec")
    if not spec.get("serviceAccountName"):
        yield from _check_tokens(spec)
    for kind in ("containers", "initContainers"):
        for where, container in structs(spec, "spec", kind):
            yield from check_image_spaces(container, where)


def check_pod_annotations(annotations: Document, spec: Document, path: str) -> Errors:
    """Checks the annotations that mean something to a pod."""
    if MIRROR in annotations and not spec.get("nodeName"):
        problem = "must set spec.nodeName if mirror pod annotation is set"
        yield invalid(f"{path}[{MIRROR}]", annotations[MIRROR], problem)
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not _is_int32(cost):
        yield invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer")


def check_template(template: Document, path: str) -> Errors:
    """Checks a template of pods."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    yield from check_labels(metadata.get("labels"), f"{path}.labels")
    yield from check_annotations(metadata.get("annotations"), f"{path}.annotations")
    yield from check_pod_annotations(metadata.get("annotations") or {}, spec, f"{path}.annotations")
    yield from check_pod_spec(spec, None, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        yield forbidden(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")


def _check_tokens(spec: Document) -> Errors:
    for where, volume in structs(spec, "spec", "volumes"):
        for place, source in structs(volume.get("projected") or {}, f"{where}.projected", "sources"):
            if "serviceAccountToken" in source:
                problem = "must not be specified when serviceAccountName is not set"
                yield forbidden(f"{place}.serviceAccountToken", problem)


def _is_int32(text: str) -> bool:
    if not re.fullmatch("-?[1-9][0-9]{0,9}|0", text):
        return False
    return -_MAX_INT32 - 1 <= int(text) <= _MAX_INT32
