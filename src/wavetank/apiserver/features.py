"""The feature gates of kube-apiserver that can be turned on; everything else is as in its defaults."""

from __future__ import annotations

from wavetank.errors import InputError
from wavetank.words import did_you_mean

SCALE_TO_ZERO = "HPAScaleToZero"  # autoscalers may have minReplicas 0
FEATURES = (SCALE_TO_ZERO,)

_BOOLEANS = {"true": True, "false": False}


def read_features(text: str, source: str = "") -> frozenset[str]:
    """Reads feature gates as kube-apiserver's flag has them: NAME=true,OTHER=false."""
    enabled: dict[str, bool] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in FEATURES:
            hint = did_you_mean(name, FEATURES)
            raise InputError(f"unknown feature gate {name!r}{hint}: expected {', '.join(FEATURES)}", source=source)
        if value.lower() not in _BOOLEANS:
            raise InputError(f"expected {name}=true or {name}=false, got {part!r}", source=source)
        enabled[name] = _BOOLEANS[value.lower()]
    return frozenset(name for name, on in enabled.items() if on)
