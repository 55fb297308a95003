from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.podspec import PodSpec

# Fields of a pod that are not simulated yet.
_NOT_SIMULATED: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "resourceClaims": lambda spec: spec.get("resourceClaims"),
}


class Features:
    """Collects the features of pods that are not simulated, so that results can warn of them."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._asked: set[str] = set()

    def note(self, spec: PodSpec) -> None:
        """Looks at a spec, once."""
        raw = spec.manifest
        if id(raw) not in self._seen:
            self._seen.add(id(raw))
            self._asked.update(name for name, asks in _NOT_SIMULATED.items() if asks(raw))

    def warnings(self) -> list[str]:
        """Returns a line for each such feature."""
        return [f"pods ask for {name}, which is not simulated yet: it was ignored" for name in sorted(self._asked)]
