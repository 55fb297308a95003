"""The Pod Security Standards: what the levels baseline and restricted forbid in a pod, by their releases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Document = dict[str, Any]

_CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
# sysctl: the minor release from which it is allowed
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}
_VOLUMES = frozenset(
    [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ]
)
_PROFILES = ("RuntimeDefault", "Localhost")
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"


class Violation(NamedTuple):
    """A violation of a standard, in short and in detail."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


class Pod(NamedTuple):
    """A pod that is checked; `minor` is the release of the standard."""

    metadata: Document
    spec: Document
    minor: int

    @property
    def containers(self) -> Iterator[Document]:
        """Yields all containers, init containers first."""
        for field in ("initContainers", "containers", "ephemeralContainers"):
            yield from self.spec.get(field) or ()

    @property
    def context(self) -> Document:
        """Returns the security context of the whole pod."""
        return self.spec.get("securityContext") or {}

    def named(self, bad: Callable[[Document], Any]) -> list[str]:
        """Returns the names of the containers of whose security contexts `bad` is true."""
        return [str(each["name"]) for each in self.containers if bad(each.get("securityContext") or {})]

    @property
    def is_windows(self) -> bool:
        """Says whether the pod is for Windows, where some fields do not exist."""
        return (self.spec.get("os") or {}).get("name") == "windows" and self.minor >= 25

    @property
    def has_own_users(self) -> bool:
        """Says whether the pod has its own user namespace, so that its root has no rights on the node."""
        return self.spec.get("hostUsers") is False and self.minor >= 35


Check = Callable[[Pod], Violation | None]


def violations(level: str, minor: int, metadata: Document, spec: Document) -> list[Violation]:
    """Returns the violations of a level (privileged, baseline or restricted) of release 1.`minor`."""
    checks: Iterable[Check] = ()
    if level == "baseline":
        checks = _BASELINE
    elif level == "restricted":
        checks = [check for check in _BASELINE if minor < _OVERRIDDEN.get(check, minor + 1)] + list(_RESTRICTED)
    pod = Pod(metadata, spec, minor)
    return [found for check in checks if (found := check(pod)) is not None]


def _containers(names: list[str]) -> str:
    return f"container{'s' if len(names) > 1 else ''} {_quoted(names)}"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _setters(pod: bool, names: list[str]) -> str:
    return " and ".join(["pod"] * pod + ([_containers(names)] if names else []))


# baseline


def _app_armor(pod: Pod) -> Violation | None:
    def bad(context: Document) -> bool:
        profile = context.get("appArmorProfile")
        return profile is not None and profile.get("type") not in _PROFILES

    contexts = [pod.context, *((each.get("securityContext") or {}) for each in pod.containers)]
    values = sorted({str(each["appArmorProfile"].get("type", "")) for each in contexts if bad(each)})
    annotations = sorted(
        f'{key}="{value}"'
        for key, value in (pod.metadata.get("annotations") or {}).items()
        if key.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    setters = [text for text in (_setters(bad(pod.context), pod.named(bad)),) if text]
    if annotations:
        setters.append("annotation" if len(annotations) == 1 else "annotations")
    if not setters:
        return None
    values += annotations
    reason = "forbidden AppArmor profile" + ("s" if len(values) > 1 else "")
    return Violation(reason, f"{' and '.join(setters)} must not set AppArmor profile type to {_quoted(values)}")


def _added(context: Document) -> list[str]:
    return list((context.get("capabilities") or {}).get("add") or ())


def _default_capabilities(pod: Pod) -> Violation | None:
    names = pod.named(lambda context: set(_added(context)) - _CAPABILITIES)
    if not names:
        return None
    contexts = ((each.get("securityContext") or {}) for each in pod.containers)
    extra = sorted({word for context in contexts for word in _added(context)} - _CAPABILITIES)
    detail = f"{_containers(names)} must not include {_quoted(extra)} in securityContext.capabilities.add"
    return Violation("non-default capabilities", detail)


def _host_namespaces(pod: Pod) -> Violation | None:
    used = [f"{field}=true" for field in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(field)]
    return Violation("host namespaces", ", ".join(used)) if used else None


def _host_paths(pod: Pod) -> Violation | None:
    names = [str(volume["name"]) for volume in pod.spec.get("volumes") or () if volume.get("hostPath") is not None]
    plural = "s" if len(names) > 1 else ""
    return Violation("hostPath volumes", f"volume{plural} {_quoted(names)}") if names else None


def _host_ports(pod: Pod) -> Violation | None:
    used = {
        str(each["name"]): {str(port["hostPort"]) for port in each.get("ports") or () if port.get("hostPort")}
        for each in pod.containers
    }
    names, ports = [name for name in used if used[name]], sorted(set().union(*used.values()))
    if not names:
        return None
    verb, noun = "use" if len(names) > 1 else "uses", "hostPorts" if len(ports) > 1 else "hostPort"
    return Violation("hostPort", f"{_containers(names)} {verb} {noun} {', '.join(ports)}")


def _host_probes(pod: Pod) -> Violation | None:
    used = {str(each["name"]): set(_probed_hosts(each)) for each in pod.containers}
    names, hosts = sorted(name for name in used if used[name]), sorted(set().union(*used.values()))
    if not names or pod.minor < 34:
        return None
    verb, noun = "use" if len(names) > 1 else "uses", "hosts" if len(hosts) > 1 else "host"
    detail = f"{_containers(names)} {verb} probe or lifecycle {noun} {_quoted(hosts)}"
    return Violation("probe or lifecycle host", detail)


def _probed_hosts(container: Document) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    handlers = [container.get(field) for field in ("livenessProbe", "readinessProbe", "startupProbe")]
    for handler in (*handlers, lifecycle.get("postStart"), lifecycle.get("preStop")):
        for action in ("httpGet", "tcpSocket"):
            if host := ((handler or {}).get(action) or {}).get("host"):
                yield host


def _privileged(pod: Pod) -> Violation | None:
    names = pod.named(lambda context: context.get("privileged"))
    detail = f"{_containers(names)} must not set securityContext.privileged=true"
    return Violation("privileged", detail) if names else None


def _masked_proc(pod: Pod) -> Violation | None:
    names = pod.named(lambda context: context.get("procMount", "Default") != "Default")
    contexts = ((each.get("securityContext") or {}) for each in pod.containers)
    kinds = sorted({context["procMount"] for context in contexts if context.get("procMount", "Default") != "Default"})
    detail = f"{_containers(names)} must not set securityContext.procMount to {_quoted(kinds)}"
    return Violation("procMount", detail) if names else None


def _always_masked_proc(pod: Pod) -> Violation | None:
    return _masked_proc(pod) if pod.minor >= 35 else None


def _masked_proc_of_baseline(pod: Pod) -> Violation | None:
    return None if pod.has_own_users else _masked_proc(pod)


def _se_linux(pod: Pod) -> Violation | None:
    allowed = {"", "container_t", "container_init_t", "container_kvm_t"}
    if pod.minor >= 31:
        allowed.add("container_engine_t")

    def bad(context: Document) -> bool:
        options = context.get("seLinuxOptions") or {}
        return options.get("type", "") not in allowed or bool(options.get("user") or options.get("role"))

    names, of_pod = pod.named(bad), bad(pod.context)
    if not names and not of_pod:
        return None
    contexts = [pod.context, *((each.get("securityContext") or {}) for each in pod.containers)]
    given = [context.get("seLinuxOptions") or {} for context in contexts]
    types = sorted({options.get("type", "") for options in given} - allowed)
    data = [f"type{'s' if len(types) > 1 else ''} {_quoted(types)}"] if types else []
    data += [f"{field} may not be set" for field in ("user", "role") if any(options.get(field) for options in given)]
    detail = f"{_setters(of_pod, names)} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}"
    return Violation("seLinuxOptions", detail)


def _bad_seccomp(context: Document) -> bool:
    profile = context.get("seccompProfile")
    return profile is not None and profile.get("type") not in _PROFILES


def _seccomp(pod: Pod) -> Violation | None:
    names, of_pod = pod.named(_bad_seccomp), _bad_seccomp(pod.context)
    if not names and not of_pod:
        return None
    contexts = [pod.context, *((each.get("securityContext") or {}) for each in pod.containers)]
    values = sorted({str(each["seccompProfile"].get("type", "")) for each in contexts if _bad_seccomp(each)})
    detail = f"{_setters(of_pod, names)} must not set securityContext.seccompProfile.type to {_quoted(values)}"
    return Violation("seccompProfile", detail)


def _sysctls(pod: Pod) -> Violation | None:
    names = [str(each["name"]) for each in pod.context.get("sysctls") or ()]
    forbidden = [name for name in names if _SYSCTLS.get(name, pod.minor + 1) > pod.minor]
    return Violation("forbidden sysctls", ", ".join(forbidden)) if forbidden else None


def _host_process(pod: Pod) -> Violation | None:
    def bad(context: Document) -> bool:
        return bool((context.get("windowsOptions") or {}).get("hostProcess"))

    setters = _setters(bad(pod.context), pod.named(bad))
    detail = f"{setters} must not set securityContext.windowsOptions.hostProcess=true"
    return Violation("hostProcess", detail) if setters else None


# restricted


def _escalation(pod: Pod) -> Violation | None:
    names = pod.named(lambda context: context.get("allowPrivilegeEscalation") is not False)
    if not names or pod.is_windows:
        return None
    detail = f"{_containers(names)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail)


def _dropped_capabilities(pod: Pod) -> Violation | None:
    keeping = pod.named(lambda context: "ALL" not in ((context.get("capabilities") or {}).get("drop") or ()))
    adding = pod.named(lambda context: set(_added(context)) - {"NET_BIND_SERVICE"})
    if not (keeping or adding) or pod.is_windows or pod.minor < 22:
        return None
    details = []
    if keeping:
        details.append(f'{_containers(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        contexts = ((each.get("securityContext") or {}) for each in pod.containers)
        extra = sorted({word for context in contexts for word in _added(context)} - {"NET_BIND_SERVICE"})
        details.append(f"{_containers(adding)} must not include {_quoted(extra)} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(details))


def _restricted_volumes(pod: Pod) -> Violation | None:
    bad = [volume for volume in pod.spec.get("volumes") or () if not volume.keys() & _VOLUMES]
    if not bad:
        return None
    kinds = sorted({next((key for key in volume if key != "name"), "unknown") for volume in bad})
    verb, plural = ("use", "s") if len(bad) > 1 else ("uses", "")
    noun = "restricted volume types" if len(kinds) > 1 else "restricted volume type"
    detail = f"volume{plural} {_quoted(str(volume['name']) for volume in bad)} {verb} {noun} {_quoted(kinds)}"
    return Violation("restricted volume types", detail)


def _not_root(pod: Pod) -> Violation | None:
    if pod.has_own_users:
        return None
    of_pod = pod.context.get("runAsNonRoot")
    refusing = pod.named(lambda context: context.get("runAsNonRoot") is False)
    if refusing or of_pod is False:
        setters = _setters(of_pod is False, refusing)
        return Violation("runAsNonRoot != true", f"{setters} must not set securityContext.runAsNonRoot=false")
    silent = pod.named(lambda context: context.get("runAsNonRoot") is None) if not of_pod else []
    detail = f"pod or {_containers(silent)} must set securityContext.runAsNonRoot=true"
    return Violation("runAsNonRoot != true", detail) if silent else None


def _no_user_zero(pod: Pod) -> Violation | None:
    if pod.has_own_users or pod.minor < 23:
        return None
    setters = _setters(pod.context.get("runAsUser") == 0, pod.named(lambda context: context.get("runAsUser") == 0))
    return Violation("runAsUser=0", f"{setters} must not set runAsUser=0") if setters else None


def _some_seccomp(pod: Pod) -> Violation | None:
    if pod.is_windows:
        return None
    if (explicit := _seccomp(pod)) is not None:
        return explicit
    if pod.context.get("seccompProfile") is not None:
        return None
    silent = pod.named(lambda context: context.get("seccompProfile") is None)
    kinds = '"RuntimeDefault" or "Localhost"'
    detail = f"pod or {_containers(silent)} must set securityContext.seccompProfile.type to {kinds}"
    return Violation("seccompProfile", detail) if silent else None


# In the order of the names that the real checks have.
_BASELINE: tuple[Check, ...] = (
    _app_armor,
    _default_capabilities,
    _host_namespaces,
    _host_paths,
    _host_ports,
    _host_probes,
    _privileged,
    _masked_proc_of_baseline,
    _se_linux,
    _seccomp,
    _sysctls,
    _host_process,
)
_RESTRICTED: tuple[Check, ...] = (
    _escalation,
    _dropped_capabilities,
    _always_masked_proc,
    _restricted_volumes,
    _not_root,
    _no_user_zero,
    _some_seccomp,
)
# Checks of baseline that restricted has in a stricter form, and the minor release since when.
_OVERRIDDEN: dict[Check, int] = {
    _default_capabilities: 22,
    _host_paths: 0,
    _masked_proc_of_baseline: 35,
    _seccomp: 19,
}
