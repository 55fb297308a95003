"""Names of schedulers: each is unique, whatever its case, and is found whatever its case."""

from __future__ import annotations

from collections import Counter

import pytest

from wavetank.errors import InputError
from wavetank.scheduling.named import find_scheduler, named_schedulers


def test_no_two_names_differ_in_case_alone() -> None:
    names = Counter(name.lower() for name in named_schedulers())
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("name", ["FGD", "fgd", "Best-Fit", "bestfit", "lrp-k8ssim-compat"])
def test_they_are_found_whatever_their_case(name) -> None:
    assert find_scheduler(name, (1, 36)).name == name


def test_best_fit_and_bestfit_are_two() -> None:
    assert find_scheduler("best-fit", (1, 36)).description != find_scheduler("BestFit", (1, 36)).description


def test_others_are_not_found() -> None:
    with pytest.raises(InputError, match=r"there is no scheduler called 'fdg'"):
        find_scheduler("fdg", (1, 36))
