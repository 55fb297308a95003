"""One row for every printed kind: what it shows of an object."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.tables.clusterrows import CLUSTER
from tests.apiserver.tables.workloadrows import WORKLOADS
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.tables.columns import column_definitions
from wavetank.apiserver.tables.printers import PRINTERS
from wavetank.apiserver.tables.table import columns, row, table_of_list

NOW = 1_704_067_200.0  # 2024-01-01T00:00:00Z
THEN = "2023-12-31T23:59:00Z"


def test_every_printer_has_columns_and_every_column_a_printer() -> None:
    assert PRINTERS.keys() == column_definitions().keys() - {""}


def test_every_served_kind_fills_its_columns() -> None:
    for kind in KindTable.builtin():
        cells = row(
            kind.group_kind, {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {"name": "x"}}, NOW
        )["cells"]
        spare = 1 if kind.kind == "IPAddress" else 0  # whose age has no column upstream
        assert len(cells) == len(columns(kind.group_kind)) + spare, kind.group_kind


def object_of(fields: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "x", "creationTimestamp": THEN, **fields.get("metadata", {})}
    return {"kind": "X", **fields, "metadata": metadata}


CASES = WORKLOADS + CLUSTER


@pytest.mark.parametrize(("table", "fields", "cells"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_a_row_shows(table: str, fields: dict[str, Any], cells: list[Any]) -> None:
    assert row(table, object_of(fields), NOW)["cells"] == cells


def test_flow_schemas_stand_in_the_order_of_their_precedence() -> None:
    table = "FlowSchema.flowcontrol.apiserver.k8s.io"
    schemas = [{"metadata": {"name": name}, "spec": {"matchingPrecedence": n}} for name, n in [("a", 9), ("b", 1)]]
    made = table_of_list(table, schemas, {}, NOW)
    assert [row["cells"][0] for row in made["rows"]] == ["b", "a"]
