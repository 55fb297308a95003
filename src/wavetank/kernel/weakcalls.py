from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec
from weakref import WeakMethod

P = ParamSpec("P")


def weakly(method: Callable[P, None]) -> Callable[P, None]:
    """Returns what calls a bound method as long as its object is there, for a part that the object itself holds.

    So the object is freed once nobody else has it: a server rarely looks for garbage in cycles.
    """
    reference = WeakMethod(method)

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        present = reference()
        if present is not None:
            present(*args, **kwargs)

    return call
