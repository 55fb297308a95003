from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click


class OrderedCommand(click.Command):
    """A command that knows the order of its repeated options: `ordered_options` returns them as they were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Notes the order of the options."""
        options, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = list(_pairs(options, order))
        return super().parse_args(ctx, args)


_ORDER = "wavetank.ordered_options"


def ordered_options(ctx: click.Context, names: Sequence[str]) -> list[tuple[str, Any]]:
    """Returns (name, value) of the options of these names, in the order in which they were given."""
    return [(name, value) for name, value in ctx.meta.get(_ORDER, ()) if name in names]


def _pairs(options: dict[str, Any], order: Sequence[click.Parameter]) -> Iterator[tuple[str, Any]]:
    values = {name: iter(value) if isinstance(value, list) else iter([value]) for name, value in options.items()}
    for parameter in order:
        name = str(parameter.name)
        value = next(values.get(name, iter(())), None)
        if value is not None:
            yield name, value
