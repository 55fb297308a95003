"""Builds on private parts of Numba; wavetank.kernel.compiling does without it where they are not there."""

from __future__ import annotations

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class QuickCache(FunctionCache):  # type: ignore[misc]
    """Numba's compiled code on disk, loaded without the modules that only compiling needs.

    Numba would first import its implementations of half of NumPy, and SciPy with them: 0.2 s and more.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the loop for arguments of these types, or None if it has to be compiled."""
        try:
            rtsys.initialize(target_context)  # allocates memory for compiled code
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # the public way, slower, does the same
            return super().load_overload(sig, target_context)
