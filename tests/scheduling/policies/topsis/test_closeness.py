"""The ranking by itself: the thesis's figures, cases by hand, and pymcdm as the oracle."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pymcdm.methods import TOPSIS
from pymcdm.normalizations import vector_normalization

from wavetank.scheduling.policies.topsis.closeness import closeness

# What the thesis shows in its figure 7: cores x 10, memory, storage in all, storage free, frequency of three nodes.
THESIS = np.array([[20, 12, 35, 28, 18], [10, 16, 30, 24, 17], [10, 25, 30, 25, 18]], float)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((20, 20, 20, 20, 20), (0.5138, 0.1959, 0.4906)),
        ((30, 20, 15, 15, 15), (0.6044, 0.1550, 0.3971)),
        ((35, 40, 10, 10, 5), (0.4690, 0.2152, 0.5312)),
    ],
)
def test_the_nodes_of_the_thesis(weights, expected):
    assert closeness(THESIS, np.array(weights, float), np.ones(5, bool)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("matrix", "weights", "benefit", "expected"),
    [
        pytest.param([[3, 4]], [1, 1], [1, 1], [1], id="the only one"),
        pytest.param([[1, 5], [1, 5]], [1, 1], [1, 0], [1, 1], id="all alike"),
        pytest.param([[3, 0], [4, 0]], [1, 1], [1, 1], [0, 1], id="one is better, the other criterion is nothing"),
        pytest.param([[3, 1], [4, 1]], [1, 1], [0, 1], [1, 0], id="less is better"),
        # norms 5 and 5: (.6, .8) and (.8, .6), each .2 from the best of one and .2 from the worst of the other
        pytest.param([[3, 4], [4, 3]], [1, 1], [1, 1], [0.5, 0.5], id="even"),
        # the first is 3 x .2 behind, the second 1 x .2: .2 / .8 and .6 / .8
        pytest.param([[3, 4], [4, 3]], [3, 1], [1, 1], [0.25, 0.75], id="weights decide"),
    ],
)
def test_cases_worked_out_by_hand(matrix, weights, benefit, expected):
    found = closeness(np.array(matrix, float), np.array(weights, float), np.array(benefit, bool))
    assert found == pytest.approx(expected)


@st.composite
def decisions(draw):
    rows, columns = draw(st.integers(2, 8)), draw(st.integers(1, 6))
    matrix = draw(arrays(float, (rows, columns), elements=st.integers(1, 10_000).map(float)))
    weights = draw(arrays(float, columns, elements=st.floats(0.01, 1)))
    return matrix, weights / weights.sum(), draw(arrays(bool, columns))


@given(decisions())
def test_pymcdm_comes_to_the_same(decision):
    matrix, weights, benefit = decision
    assume((matrix != matrix[0]).any())  # it divides by zero where all alternatives are alike
    theirs = TOPSIS(vector_normalization)(matrix, weights, np.where(benefit, 1, -1), validation=False)
    # it turns costs round before it normalises them, by 1 - x / norm, which leaves all distances as they are
    assert closeness(matrix, weights, benefit) == pytest.approx(theirs, abs=1e-6)
