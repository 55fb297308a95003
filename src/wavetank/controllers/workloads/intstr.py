from __future__ import annotations

import math


def scaled_value(value: object, total: int, *, round_up: bool) -> int:
    """Returns an IntOrString: a number, or a percentage of `total`; 0 if it is not set."""
    if isinstance(value, str):
        share = int(value.removesuffix("%")) * total / 100
        return math.ceil(share) if round_up else math.floor(share)
    return int(value) if isinstance(value, int) else 0
