"""The policies do what every scheduler must, also on clusters without a single GPU."""

from __future__ import annotations

import pytest

from wavetank.testing import SchedulerConformance


class TestGpuPolicies(SchedulerConformance):
    @pytest.fixture(autouse=True, params=["Random", "GpuPacking", "FGD"])
    def _one_of_them(self, request):
        self.scheduler = request.param
