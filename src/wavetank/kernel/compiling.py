from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Loop], Loop]:
    """Compiles a loop as Numba's `njit(cache=True, ...)` does, but starts faster if its code is on disk already.

    The faster start needs private parts of Numba. Where a release does not have them it is `njit(cache=True, ...)`.
    """

    def decorate(function: Loop) -> Loop:
        loop: Any = numba.njit(**options)(function)
        cache = _quick_cache(function)
        if cache is None or not hasattr(loop, "_cache"):
            return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
        loop._cache = cache
        return loop  # type: ignore[no-any-return]

    return decorate


def _quick_cache(function: Callable[..., Any]) -> Any:
    try:
        from wavetank.kernel.numbacache import QuickCache

        return QuickCache(function)
    except Exception:  # whatever a release of Numba that we do not know has changed
        return None
