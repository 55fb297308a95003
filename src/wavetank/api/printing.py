from __future__ import annotations

import io

from rich.console import Console, RenderableType


def printed(*views: RenderableType) -> str:
    """Returns what the terminal would show, without colours."""
    console = Console(file=io.StringIO(), force_jupyter=False)  # which would display it, and return nothing
    with console.capture() as shown:
        for view in views:
            console.print(view)
    return shown.get().rstrip("\n")
