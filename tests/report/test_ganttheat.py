from __future__ import annotations

import numpy as np
import pytest

from wavetank.report.charts.ganttheat import COLUMNS, MAX_ROWS, Occupancy, heat_map


def held(*bars: tuple[int, float, float, float]) -> Occupancy:
    node, start, end, cpu = zip(*bars, strict=True) if bars else ((), (), (), ())
    return Occupancy(np.array(node, dtype=np.int64), *(np.array(column, dtype=float) for column in (start, end, cpu)))


def test_a_full_node_is_full_while_its_pod_stands() -> None:
    heat = heat_map(held((0, 0, 50, 1000)), np.array([1000.0, 1000.0]), 100)
    assert heat.shape == (2, COLUMNS)
    assert (heat[0, : COLUMNS // 2] == 255).all()
    assert (heat[0, COLUMNS // 2 :] == 0).all()
    assert (heat[1] == 0).all()


def test_overlapping_pods_add_up() -> None:
    heat = heat_map(held((0, 0, 100, 250), (0, 0, 100, 500)), np.array([1000.0]), 100)
    assert set(heat[0]) == {191}


def test_part_of_a_bin_counts_in_part() -> None:
    heat = heat_map(held((0, 0, 0.5, 1000)), np.array([1000.0]), float(COLUMNS))
    assert list(heat[0, :2]) == [128, 0]


def test_many_nodes_share_rows() -> None:
    nodes = 4 * MAX_ROWS
    heat = heat_map(held((0, 0, 10, 1000)), np.full(nodes, 1000.0), 10)
    assert heat.shape == (MAX_ROWS, COLUMNS)
    assert set(heat[0]) == {64}


@pytest.mark.parametrize("capacity", [0.0, 1000.0])
def test_no_pods_and_no_capacity_are_no_heat(capacity: float) -> None:
    assert not heat_map(held(), np.array([capacity]), 1).any()
    assert capacity or not heat_map(held((0, 0, 1, 100)), np.array([capacity]), 1).any()
