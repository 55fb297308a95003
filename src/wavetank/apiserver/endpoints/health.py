"""Health checks: a server that answers is healthy."""

from __future__ import annotations

from wavetank.apiserver.requests.request import Request, Response

HEALTH = ("healthz", "livez", "readyz")

_HEADERS = (
    ("cache-control", "no-cache, private"),
    ("content-type", "text/plain; charset=utf-8"),
    ("x-content-type-options", "nosniff"),
)
# The names of the real server's checks; clients may ask for one of them, or exclude some.
_CHECKS = (
    "ping",
    "log",
    "etcd",
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
)
_READY_CHECKS = (*_CHECKS[:3], "etcd-readiness", "informer-sync", *_CHECKS[3:], "shutdown")


def health(request: Request, parts: list[str]) -> Response | None:
    """Answers /healthz, /livez and /readyz, or one of their checks; None if there is no such check."""
    endpoint, *check = parts
    checks = checks_of(endpoint)
    if check:
        return _text("ok") if "/".join(check) in checks else None
    if all(name != "verbose" for name, _ in request.query):
        return _text("ok")
    excluded = {value for name, value in request.query if name == "exclude"}
    lines = [f"[+]{name} excluded: ok" if name in excluded else f"[+]{name} ok" for name in checks]
    if unknown := sorted(excluded.difference(checks)):
        words = ", ".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {words}")
    return _text("".join(f"{line}\n" for line in [*lines, f"{endpoint} check passed"]))


def checks_of(endpoint: str) -> tuple[str, ...]:
    """Returns the names of the checks of healthz, livez or readyz."""
    return _READY_CHECKS if endpoint == "readyz" else _CHECKS


def _text(body: str) -> Response:
    return Response(200, list(_HEADERS), body.encode())
