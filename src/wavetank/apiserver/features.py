"""The feature gates of kube-apiserver that can be turned on; everything else is as in its defaults."""

from __future__ import annotations

from difflib import get_close_matches

from wavetank.errors import InputError

SCALE_TO_ZERO = "HPAScaleToZero"  # autoscalers may have minReplicas 0
FEATURES = (SCALE_TO_ZERO,)

_BOOLEANS = {"true": True, "false": False}


def read_features(text: str, source: str = "") -> frozenset[str]:
    """Reads feature gates as kube-apiserver's flag has them: NAME=true,OTHER=false."""
    enabled: dict[str, bool] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in FEATURES:
            near = get_close_matches(name, FEATURES, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise InputError(f"unknown feature gate {name!r}{hint}: expected {', '.join(FEATURES)}", source=source)
        if value.lower() not in _BOOLEANS:
            raise InputError(f"expected {name}=true or {name}=false, got {part!r}", source=source)
        enabled[name] = _BOOLEANS[value.lower()]
    return frozenset(name for name, on in enabled.items() if on)
