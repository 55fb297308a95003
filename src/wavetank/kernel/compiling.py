from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Loop], Loop]:
    """Compiles a loop as Numba's `njit(cache=True, ...)` does, but begins faster where its code is on disk already."""

    def decorate(function: Loop) -> Loop:
        loop: Any = numba.njit(**options)(function)
        loop._cache = _Cache(function)
        return loop  # type: ignore[no-any-return]

    return decorate


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's code on disk, from where a loop comes without all that only compiling needs.

    Numba would first import its implementations of half of NumPy, and SciPy with them: 0.2 s and more.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the loop for arguments of these types; None if it is not there, and has to be compiled."""
        rtsys.initialize(target_context)  # which hands out memory to compiled code
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
