"""What is known of a column of results, in one place: writers, readers, reports and the reference page ask here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_type_hints

Better = Literal["lower", "higher", ""]
Kind = Literal["time", "share", "percent", "count", "ratio", "amount"]
Type = type[str] | type[int] | type[float]

SECONDS, SHARE, PERCENT, PRICE = "s", "0 to 1", "%", "price"
MILLI_CPU, BYTES = "milli-CPU", "bytes"

_KINDS: Mapping[str, Kind] = {SECONDS: "time", SHARE: "share", PERCENT: "percent", PRICE: "amount"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    An `optional` column is left out of files in which no row has a value. Reports show the columns that have a
    `label`, and mark the best value if one direction is `better`; those with a `heading`, a label of a few letters,
    also stand in the terminal.
    """

    name: str
    type: Type
    meaning: str
    unit: str = ""
    label: str = ""
    better: Better = ""
    heading: str = ""
    optional: bool = False

    @property
    def kind(self) -> Kind:
        """Returns how reports format the values; a ratio and an amount have no unit."""
        return "count" if self.type is int else _KINDS.get(self.unit, "ratio")


@dataclass(frozen=True)
class Table:
    """A CSV file of results; `rows` says what a row stands for."""

    file: str
    rows: str
    columns: tuple[Column, ...]

    def type_of(self, name: str) -> Type:
        """Returns the type of a column; text for one that is not in the schema."""
        return next((column.type for column in self.columns if column.name == name), str)

    def names(self, optional: Iterable[str] = ()) -> list[str]:
        """Returns the names of the columns in the order of the file, of the optional ones only these."""
        wanted = set(optional)
        return [column.name for column in self.columns if not column.optional or column.name in wanted]

    def names_in(self, rows: Sequence[Mapping[str, object]]) -> list[str]:
        """Returns the names of the columns of a file with these rows."""
        optional = [column.name for column in self.columns if column.optional]
        return self.names(name for name in optional if any(row.get(name) is not None for row in rows))


def columns_of(record: type) -> tuple[Column, ...]:
    """Returns the columns that a class describes by fields such as `pods: Annotated[int, about("…")]`."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(replace(get_args(hint)[1], name=name, type=_type(get_args(hint)[0])) for name, hint in hints.items())


def about(meaning: str, unit: str = "", **more: Any) -> Column:
    """Describes a field of a class whose fields are columns: the name and the type are those of the field."""
    return Column("", str, meaning, unit, **more)


def _type(hint: Any) -> Type:
    """Returns the type of the values: int, or float of float | None."""
    given = next(each for each in (get_args(hint) or (hint,)) if each is not type(None))
    assert given in (str, int, float), f"a column is of texts or numbers, not {given}"
    kind: Type = given
    return kind
