"""The numbers of Go's math/rand, as a program in Go has printed them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from wavetank.kernel.gorandom import GoRandom

# seed; Int63, Intn(100), Intn(64), Float64, Perm(6); Shuffle of 0 to 7; Int63
PRINTED = [
    (1, 5577006791947779410, 87, 7, 0.4377141871869802, [5, 4, 0, 1, 2, 3], [2, 0, 3, 7, 6, 1, 5, 4]),
    (42, 3440579354231278675, 87, 4, 0.20881870305465913, [3, 5, 0, 4, 2, 1], [4, 3, 6, 7, 0, 2, 1, 5]),
    (0, 8717895732742165505, 14, 57, 0.05434383959970039, [5, 3, 0, 4, 2, 1], [3, 4, 0, 7, 1, 5, 6, 2]),
    (1099511627779, 2135166860968657419, 79, 5, 0.1816893061742335, [4, 3, 5, 2, 0, 1], [3, 6, 5, 7, 4, 1, 2, 0]),
]
LAST = [2703387474910584091, 6603068123710785442, 161231572858529631, 3991157674135430510]


@pytest.mark.parametrize(("printed", "last"), list(zip(PRINTED, LAST, strict=True)))
def test_it_draws_what_go_draws(printed, last) -> None:
    seed, first, percent, power, share, order, shuffled = printed
    random = GoRandom(seed)
    assert random.int63() == first
    assert (random.intn(100), random.intn(64)) == (percent, power)
    assert random.float64() == share
    assert random.perm(6) == order
    items = list(range(8))
    random.shuffle(items)
    assert items == shuffled
    assert random.int63() == last


def test_a_bound_that_does_not_divide_is_drawn_again() -> None:
    random = GoRandom(5)
    bound = (1 << 30) + 1  # every second number is too large
    assert all(0 <= random.intn(bound) < bound for _ in range(50))


def test_the_table_is_what_its_definition_gives() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "generate_gorandom.py", "--check"], check=True)
