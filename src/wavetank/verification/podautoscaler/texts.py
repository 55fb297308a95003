"""What of the controller's messages is compared, and what is not."""

from __future__ import annotations

import re
from typing import Any

from wavetank.quantity import milli

Json = dict[str, Any]

COMBINED = "(combined from similar events): "

_API_TEXTS = re.compile(
    r"(unable to fetch metrics from \w+ metrics API: |unable to get the target's current scale: "
    r"|unable to update the target scale: |; error: ).*"
)
_POD = re.compile(r"(Pod) \S+$")
_RIVALS = re.compile(r"(?<=multiple HPAs: )\[(.*)\]")
_QUANTITIES = ("value", "averageValue")


def stable(message: str) -> str:
    """Returns a message without texts of the API and names of pods, autoscalers in the order of their names."""
    message = _POD.sub(r"\1", _API_TEXTS.sub(r"\1", message))
    return _RIVALS.sub(lambda match: " ".join(sorted(match[1].split())), message)


def is_by_chance(message: str) -> bool:
    """Tells whether the wording depends on the order of Go's maps, so that the same is said in several ways."""
    return bool(_POD.search(message) or _RIVALS.search(message))


def stable_status(status: Json) -> Json:
    """Returns a status as far as it is compared: messages without what differs, quantities as amounts."""
    fields = {name: status.get(name) for name in ("currentReplicas", "desiredReplicas", "lastScaleTime")}
    conditions = [{**each, "message": stable(each["message"])} for each in status.get("conditions") or ()]
    metrics = [_amounts(metric) for metric in status.get("currentMetrics") or ()]
    return {"replicas": [value or 0 for value in fields.values()], "conditions": conditions, "metrics": metrics}


def _amounts(value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _amounts(each, key) for key, each in value.items()}
    return milli(value) if field in _QUANTITIES else value
