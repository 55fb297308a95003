"""What types and fields mean, for `kubectl explain`; it comes with the extra `schema`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from wavetank.cluster.releases import SERVED

_NOTHING: Mapping[str, str] = {}


@cache
def descriptions() -> Mapping[str, Mapping[str, str]]:
    """Returns texts by the names of types, there by the names of fields, the type's own under ""; none without it."""
    try:
        folders = files("kubernetes_validate").joinpath("kubernetes-json-schema").iterdir()
    except ModuleNotFoundError:
        return {}
    wanted = (each for each in folders if each.name.startswith(f"v{SERVED.name}.") and each.name.endswith("-local"))
    found = next(wanted, None)
    if found is None:
        return {}
    definitions = msgspec.json.decode(found.joinpath("_definitions.json").read_bytes())
    types: dict[str, Any] = definitions.get("$defs") or definitions.get("definitions") or {}
    return {name: _texts(each) for name, each in types.items()}


def texts_of(name: str) -> Mapping[str, str]:
    """Returns the texts of one type."""
    return descriptions().get(name, _NOTHING)


def _texts(definition: Mapping[str, Any]) -> Mapping[str, str]:
    properties = definition.get("properties") or {}
    texts = {name: each.get("description", "") for name, each in properties.items()}
    return {"": definition.get("description", ""), **texts}
