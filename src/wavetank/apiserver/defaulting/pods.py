"""Defaults of pods and pod templates."""

from __future__ import annotations

import re

from wavetank.apiserver.defaulting.fields import Document, default, fill, given, items, optional, part, round_up
from wavetank.apiserver.defaulting.volumes import default_volume

_PATH = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])"
_IMAGE = re.compile(
    rf"(?:{_HOST}(?::[0-9]+)?/)?{_PATH}(?:/{_PATH})*"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?P<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)
_LONGEST_IMAGE = 255  # longer names are malformed


def default_pod(pod: Document) -> None:
    """Completes a pod."""
    spec = part(pod, "spec")
    containers = [*items(spec, "containers"), *items(spec, "initContainers")]
    for container in containers:
        _request_what_is_limited(container)
    if "resources" in spec:
        _request_what_is_limited_for_all(spec, containers)
    default(spec, "enableServiceLinks", True)
    if spec.get("hostNetwork"):
        _publish_ports(containers)
    default_pod_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1  # as the conversion of pods does, but not of templates
    _agree_on_addresses(optional(pod, "status"))


def default_template(template: Document) -> None:
    """Completes the template of pods in another object."""
    default_pod_spec(part(template, "spec"))


def default_pod_spec(spec: Document) -> None:
    """Completes what pods and templates of pods have in common."""
    _agree_on_account(spec)
    default(spec, "securityContext", {})
    fill(spec, dnsPolicy="ClusterFirst", restartPolicy="Always", schedulerName="default-scheduler")
    default(spec, "terminationGracePeriodSeconds", 30)
    for volume in items(spec, "volumes"):
        default_volume(volume, pull_policy(optional(volume, "image").get("reference", "")))
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in items(spec, kind):
            _default_container(container)
    round_up(spec, "overhead")
    for resources in given(spec, "resources"):
        round_up(resources, "limits", "requests")


def pull_policy(image: str) -> str:
    """Returns the default pull policy of an image; a malformed name counts as one with a tag."""
    match = _IMAGE.fullmatch(image) if len(image) <= _LONGEST_IMAGE else None
    latest = match is not None and match["tag"] in (None, "latest") and (match["tag"] or not match["digest"])
    return "Always" if latest else "IfNotPresent"


def _agree_on_account(spec: Document) -> None:
    """Keeps the deprecated serviceAccount equal to serviceAccountName."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def _agree_on_addresses(status: Document) -> None:
    address, addresses = status.get("podIP"), items(status, "podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses:
        status["podIP"] = addresses[0].get("ip", "")


def _request_what_is_limited(container: Document) -> None:
    resources = optional(container, "resources")
    for name, limit in optional(resources, "limits").items():
        default(part(resources, "requests"), name, limit)


def _request_what_is_limited_for_all(spec: Document, containers: list[Document]) -> None:
    """Gives a pod with limits of its own the requests: the sum of its containers', or else the limit."""
    from wavetank.apiserver.defaulting.podlevel import default_pod_level

    default_pod_level(spec, containers)


def _publish_ports(containers: list[Document]) -> None:
    for container in containers:
        for port in items(container, "ports"):
            default(port, "hostPort", port.get("containerPort", 0))


def _default_container(container: Document) -> None:
    default(container, "imagePullPolicy", pull_policy(container.get("image", "")))
    fill(container, terminationMessagePath="/dev/termination-log", terminationMessagePolicy="File")
    for port in items(container, "ports"):
        default(port, "protocol", "TCP")
    for variable in items(container, "env"):
        source = optional(variable, "valueFrom")
        for reference in given(source, "fieldRef"):
            default(reference, "apiVersion", "v1")
        for reference in given(source, "fileKeyRef"):
            default(reference, "optional", False)
    round_up(part(container, "resources"), "limits", "requests")
    for probe in given(container, "livenessProbe", "readinessProbe", "startupProbe"):
        _default_probe(probe)
    for handler in given(optional(container, "lifecycle"), "postStart", "preStop"):
        _default_http(handler)


def _default_probe(probe: Document) -> None:
    fill(probe, timeoutSeconds=1, periodSeconds=10, successThreshold=1, failureThreshold=3)
    _default_http(probe)
    for call in given(probe, "grpc"):
        default(call, "service", "")


def _default_http(handler: Document) -> None:
    for get in given(handler, "httpGet"):
        fill(get, path="/", scheme="HTTP")
