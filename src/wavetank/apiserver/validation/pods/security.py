"""Security contexts of pods and containers."""

from __future__ import annotations

import re

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.paths import check_descending

_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"^({_SEGMENT}[\./])*{_SEGMENT}$"
_LARGEST_ID = 2**31 - 1
_IPC = ("kernel.shm", "kernel.msg", "fs.mqueue.")


def check_pod_context(spec: Document, path: str) -> Errors:
    """Checks the security context of a pod."""
    context, where = spec.get("securityContext") or {}, f"{path}.securityContext"
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from _check_id(context.get(name), f"{where}.{name}")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from _check_id(group, f"{where}.supplementalGroups[{index}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        problem = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{where}.shareProcessNamespace", True, problem)
    yield from _check_sysctls(spec, context, where)
    yield from _check_one_of(context, where, "fsGroupChangePolicy", ("Always", "OnRootMismatch"))
    yield from _check_profile(context, where)
    yield from _check_app_armor(context, where)
    yield from _check_one_of(context, where, "supplementalGroupsPolicy", ("Merge", "Strict"))
    yield from _check_one_of(context, where, "seLinuxChangePolicy", ("Recursive",))


def check_container_context(context: Document | None, host_users: bool, path: str) -> Errors:
    """Checks the security context of a container; `host_users`: the pod has no users of its own."""
    if context is None:
        return
    for name in ("runAsUser", "runAsGroup"):
        yield from _check_id(context.get(name), f"{path}.{name}")
    yield from _check_one_of(context, path, "procMount", ("Default", "Unmasked"))
    if host_users and context.get("procMount") == "Unmasked":
        yield invalid(f"{path}.procMount", "Unmasked", "`hostUsers` must be false to use `Unmasked`")
    yield from _check_profile(context, path)
    if context.get("allowPrivilegeEscalation") is False:
        yield from _check_no_escalation(context, path)
    yield from _check_app_armor(context, path)


def check_host_users(spec: Document, path: str) -> Errors:
    """Checks that a pod with users of its own does not share the node's namespaces."""
    if spec.get("hostUsers", True):
        return
    for name, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name):
            yield forbidden(f"{path}.{shown}", "when `hostUsers` is false")
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for where, container in structs(spec, path, kind):
            if container.get("volumeDevices"):
                yield forbidden(f"{where}.volumeDevices", "when `hostUsers` is false")


def _check_id(number: int | None, path: str) -> Errors:
    if number is not None:
        yield from each_invalid(path, number, names.range_problems(number, 0, _LARGEST_ID))


def _check_one_of(owner: Document, path: str, name: str, choices: tuple[str, ...]) -> Errors:
    if name in owner and owner[name] not in choices:
        yield unsupported(f"{path}.{name}", owner[name], choices)


def _check_sysctls(spec: Document, context: Document, path: str) -> Errors:
    seen: set[str] = set()
    for where, sysctl in structs(context, path, "sysctls"):
        name = sysctl.get("name", "")
        if not name:
            yield required(f"{where}.name")
        elif len(name) > 253 or not re.match(_SYSCTL, name):
            yield invalid(f"{where}.name", name, f"must have at most 253 characters and match regex {_SYSCTL}")
        elif name in seen:
            yield duplicate(f"{where}.name", name)
        if spec.get("hostNetwork") and name.startswith("net."):
            yield invalid(f"{where}.name", name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and (name.startswith(_IPC) or name == "kernel.sem"):
            yield invalid(f"{where}.name", name, "may not be specified when 'hostIPC' is true")
        seen.add(name)


def _check_profile(context: Document, path: str) -> Errors:
    profile = context.get("seccompProfile")
    if profile is None:
        return
    where, kind, local = f"{path}.seccompProfile", profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield required(f"{where}.type", "type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield unsupported(f"{where}.type", kind, _PROFILES)
    if kind == "Localhost":
        if local is None:
            yield required(f"{where}.localhostProfile", "must be set when seccomp type is Localhost")
        else:
            yield from check_descending(local, f"{where}.localhostProfile")
    elif local is not None:
        shown = internal("core.SeccompProfile", profile)
        yield invalid(f"{where}.localhostProfile", shown, "can only be set when seccomp type is Localhost")


def _check_app_armor(context: Document, path: str) -> Errors:
    profile = context.get("appArmorProfile")
    if profile is None:
        return
    where, kind, local = f"{path}.appArmorProfile", profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield required(f"{where}.type", "type is required when appArmorProfile is set")
    elif kind not in _PROFILES:
        yield unsupported(f"{where}.type", kind, _PROFILES)
    elif kind == "Localhost":
        yield from _check_app_armor_path(local or "", f"{where}.localhostProfile")
    elif local is not None:
        yield invalid(f"{where}.localhostProfile", local, "can only be set when AppArmor type is Localhost")


def _check_app_armor_path(profile: str, path: str) -> Errors:
    if profile != profile.strip():
        yield invalid(path, profile, "must not be padded with whitespace")
    elif not profile:
        yield required(path, "must be set when AppArmor type is Localhost")
    if len(profile.encode()) > 4095:
        yield too_long(path, 4095)


def _check_no_escalation(context: Document, path: str) -> Errors:
    shown = internal("core.SecurityContext", context)
    if context.get("privileged"):
        yield invalid(path, shown, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
    for capability in (context.get("capabilities") or {}).get("add") or ():
        if capability == "CAP_SYS_ADMIN":
            problem = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid(path, shown, problem)
