from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from wavetank.cluster.quota.amount import Amount

PER_CLASS = ".deviceclass.resource.k8s.io/devices"
_MOST = 32  # devices that a claim can get: what one of all devices is charged


def devices_of(claim: Mapping[str, Any]) -> dict[str, Amount]:
    """Returns how many devices of each class a claim may get, by the names that quotas have for them."""
    total: dict[str, int] = {}
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        worst: dict[str, int] = {}
        for choice in request.get("firstAvailable") or ([request["exactly"]] if request.get("exactly") else []):
            name = f"{choice.get('deviceClassName', '')}{PER_CLASS}"
            worst[name] = max(worst.get(name, 0), _count(choice))
        for name, count in worst.items():
            total[name] = total.get(name, 0) + count
    return {name: Amount(Fraction(count)) for name, count in total.items()}


def _count(choice: Mapping[str, Any]) -> int:
    match choice.get("allocationMode"):
        case "ExactCount":
            return int(choice.get("count") or 0)
        case "All":
            return _MOST
    return 0
