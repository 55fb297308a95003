"""Containers of pods."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wavetank.apiserver.fielderrors import (
    duplicate,
    forbidden,
    invalid,
    not_found_value,
    required,
    too_long,
    unsupported,
)
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_choice, each_invalid, structs
from wavetank.apiserver.validation.pods.environment import check_variables
from wavetank.apiserver.validation.pods.handlers import check_lifecycle, check_probes
from wavetank.apiserver.validation.pods.mounts import check_devices, check_mounts
from wavetank.apiserver.validation.pods.security import check_container_context
from wavetank.apiserver.validation.pods.volumes import PULL_POLICIES
from wavetank.apiserver.validation.quantities import check_requirements

PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTARTS = ("Always", "Never", "OnFailure")
_NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"
_OF_EPHEMERAL = frozenset(
    [
        "name",
        "image",
        "command",
        "args",
        "workingDir",
        "envFrom",
        "env",
        "volumeMounts",
        "volumeDevices",
        "terminationMessagePath",
        "terminationMessagePolicy",
        "imagePullPolicy",
        "securityContext",
        "stdin",
        "stdinOnce",
        "tty",
        "targetContainerName",
    ]
)
_OF_SIDECARS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What containers need to know of their pod."""

    spec: Document
    volumes: Mapping[str, Document]
    claims: Collection[str]

    @property
    def grace(self) -> int | None:
        """Returns the seconds that the pod has to stop."""
        return self.spec.get("terminationGracePeriodSeconds")

    @property
    def host_users(self) -> bool:
        """Tells whether the pod has no users of its own."""
        return bool(self.spec.get("hostUsers", True))


def check_containers(pod: Surroundings, path: str) -> Errors:
    """Checks the containers of a pod."""
    if not pod.spec.get("containers"):
        yield required(f"{path}.containers")
        return
    seen: set[str] = set()
    for where, container in structs(pod.spec, path, "containers"):
        yield from _check_container(container, pod, where)
        yield from _check_once(container, seen, where)
        if "lifecycle" in container:
            yield from check_lifecycle(container["lifecycle"], pod.grace, f"{where}.lifecycle")
        yield from check_probes(container, pod.grace, where)
        yield from _check_restarts(container, where)
    yield from _check_host_ports(pod.spec["containers"], f"{path}.containers")


def check_init_containers(pod: Surroundings, path: str) -> Errors:
    """Checks the containers that run before the others, or beside them if they are restarted always."""
    seen = {container.get("name", "") for container in pod.spec.get("containers") or ()}
    for where, container in structs(pod.spec, path, "initContainers"):
        yield from _check_container(container, pod, where)
        yield from _check_init_restarts(container, where)
        yield from _check_once(container, seen, where, not_init=False)
        yield from _check_host_ports([container], f"{path}.initContainers")
        if container.get("restartPolicy") == "Always":
            if "lifecycle" in container:
                yield from check_lifecycle(container["lifecycle"], pod.grace, f"{where}.lifecycle")
            yield from check_probes(container, pod.grace, where)
        else:
            for name in _OF_SIDECARS:
                if name in container:
                    problem = "may not be set for init containers without restartPolicy=Always"
                    yield forbidden(f"{where}.{name}", problem)


def check_ephemeral_containers(pod: Surroundings, path: str) -> Errors:
    """Checks the containers that were added to look at a running pod."""
    others = {one.get("name", "") for kind in ("containers", "initContainers") for one in pod.spec.get(kind) or ()}
    seen = set(others)
    for where, container in structs(pod.spec, path, "ephemeralContainers"):
        yield from _check_container(container, pod, where)
        yield from check_image_spaces(container, where)
        yield from _check_once(container, seen, where)
        target = container.get("targetContainerName", "")
        if target and target not in others:
            yield not_found_value(f"{where}.targetContainerName", target)
        for name, value in container.items():
            if name not in _OF_EPHEMERAL and (value or (value == {} and name != "resources")):
                yield forbidden(f"{where}.{name}", _NOT_EPHEMERAL)
        for place, mount in structs(container, where, "volumeMounts"):
            for name in ("subPath", "subPathExpr"):
                if mount.get(name):
                    yield forbidden(f"{place}.{name}", _NOT_EPHEMERAL)


def check_image_spaces(container: Document, path: str) -> Errors:
    """Checks the image of a real pod's container; in templates more is forgiven."""
    image = container.get("image", "")
    if image != image.strip():
        yield invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _check_container(container: Document, pod: Surroundings, path: str) -> Errors:
    name = container.get("name", "")
    if not name:
        yield required(f"{path}.name")
    else:
        yield from each_invalid(f"{path}.name", name, names.label_problems(name))
    if not container.get("image"):
        yield required(f"{path}.image")
    policies = ("File", "FallbackToLogsOnError")
    yield from check_choice(f"{path}.terminationMessagePolicy", container.get("terminationMessagePolicy"), policies)
    yield from _check_ports(container, path)
    yield from check_variables(container, path)
    yield from check_mounts(container, pod.volumes, path)
    yield from check_devices(container, pod.volumes, path)
    yield from check_choice(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), PULL_POLICIES)
    yield from check_requirements(container.get("resources") or {}, f"{path}.resources", pod.claims)
    yield from _check_resizing(container, pod.spec.get("restartPolicy"), path)
    yield from check_container_context(container.get("securityContext"), pod.host_users, f"{path}.securityContext")


def _check_once(container: Document, seen: set[str], path: str, not_init: bool = True) -> Errors:
    name = container.get("name", "")
    if name in seen:
        yield duplicate(f"{path}.name", name)
    elif name or not_init:
        seen.add(name)


def _check_ports(container: Document, path: str) -> Errors:
    seen: set[str] = set()
    for where, port in structs(container, path, "ports"):
        name, number = port.get("name", ""), port.get("containerPort", 0)
        problems = names.port_name_problems(name) if name else []
        yield from each_invalid(f"{where}.name", name, problems)
        if name in seen and name and not problems:
            yield duplicate(f"{where}.name", name)
        seen.add(name)
        if not number:
            yield required(f"{where}.containerPort")
        else:
            yield from each_invalid(f"{where}.containerPort", number, names.port_problems(number))
        if port.get("hostPort"):
            yield from each_invalid(f"{where}.hostPort", port["hostPort"], names.port_problems(port["hostPort"]))
        yield from check_choice(f"{where}.protocol", port.get("protocol"), PROTOCOLS)


def _check_host_ports(containers: list[Document], path: str) -> Errors:
    seen: set[str] = set()
    for index, container in enumerate(containers):
        for where, port in structs(container, f"{path}[{index}]", "ports"):
            if port.get("hostPort"):
                key = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
                if key in seen:
                    yield duplicate(f"{where}.hostPort", key)
                seen.add(key)


def _check_resizing(container: Document, restart: str | None, path: str) -> Errors:
    where, seen = f"{path}.resizePolicy", set()
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        name, action = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in seen:
            yield duplicate(f"{where}[{index}]", name)
        seen.add(name)
        yield from check_choice(where, name, ("cpu", "memory"))
        yield from check_choice(where, action, ("NotRequired", "RestartContainer"))
        if restart == "Never" and action != "NotRequired":
            yield invalid(where, action, "must be 'NotRequired' when `restartPolicy` is 'Never'")


def _check_init_restarts(container: Document, path: str) -> Errors:
    if container.get("restartPolicy") == "Always" and container.get("restartPolicyRules"):
        problem = "restartPolicyRules are not allowed for init containers with restart policy Always"
        yield forbidden(f"{path}.restartPolicyRules", problem)
    elif container.get("restartPolicy") != "Always":
        yield from _check_restarts(container, path)


def _check_restarts(container: Document, path: str) -> Errors:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and rules:
        yield required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
    elif policy is not None and policy not in _RESTARTS:
        yield unsupported(f"{path}.restartPolicy", policy, _RESTARTS)
    if len(rules) > 20:
        yield too_long(f"{path}.restartPolicyRules", 20)
    for where, rule in structs(container, path, "restartPolicyRules"):
        yield from _check_rule(rule, where)


def _check_rule(rule: Document, path: str) -> Errors:
    if rule.get("action") != "Restart":
        yield unsupported(f"{path}.action", rule.get("action", ""), ("Restart",))
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(f"{path}.exitCodes", "must be specified")
        return
    if codes.get("operator") not in ("In", "NotIn"):
        yield unsupported(f"{path}.exitCodes.operator", codes.get("operator", ""), ("In", "NotIn"))
    if len(codes.get("values") or ()) > 255:
        yield too_long(f"{path}.exitCodes.values", 255)
