"""Fields that the server knows but drops, since what they are for is not enabled by default."""

from __future__ import annotations

from wavetank.apiserver.strategies.strategy import Document

_SOURCES = ("clusterTrustBundle", "podCertificate")


def drop_disabled(spec: Document | None) -> None:
    """Drops such fields from the spec of a pod or of a template, in place."""
    if spec is None:
        return
    spec.pop("workloadRef", None)
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            (container.get("lifecycle") or {}).pop("stopSignal", None)
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            for name in _SOURCES:
                source.pop(name, None)
