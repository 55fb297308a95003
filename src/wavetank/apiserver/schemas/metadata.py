"""The type of every object's metadata."""

from __future__ import annotations

from functools import cache

from wavetank.apiserver.schemas.records import Records, StructureTable
from wavetank.apiserver.schemas.schema import Schema


@cache
def object_metadata() -> Schema:
    """Returns the type of metadata, which no table of kinds has to be asked for."""
    return StructureTable(Records.load().structures).schema("meta.v1.ObjectMeta")
