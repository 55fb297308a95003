from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from wavetank.cluster.manifests import read_text
from wavetank.errors import InputError


def read_choices(path: Path, nodes: Collection[str]) -> dict[str, str]:
    """Reads a JSON object that gives pods (namespace/name) a node; null or "" leaves the choice to the scheduler.

    Pods that are never scheduled are ignored; a node that is not among `nodes` is an InputError.
    """
    try:
        given = msgspec.json.decode(read_text(path), type=dict[str, str | None])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"expected a JSON map from namespace/name to a node: {error}", source=str(path)) from None
    for pod, node in given.items():
        if "/" not in pod:
            raise InputError(f"expected namespace/name, got {pod!r:.60}", source=str(path))
        if node and node not in nodes:
            raise InputError(f"there is no node {node!r:.80} in the cluster", path=pod, source=str(path))
    return {pod: node for pod, node in given.items() if node}
