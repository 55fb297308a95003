from __future__ import annotations

import io

from rich.console import Console, RenderableType
from rich.text import Text


def printed(*views: RenderableType, width: int | None = None) -> str:
    """Returns what the terminal would show, without colours.

    With a `width` only tables are folded to it: sentences stay on one line.
    """
    # A console in a notebook would display what it prints, and return nothing.
    console = Console(file=io.StringIO(), force_jupyter=False, width=width)
    with console.capture() as shown:
        for view in views:
            console.print(view, soft_wrap=width is not None and isinstance(view, Text))
    return shown.get().rstrip("\n")
