from __future__ import annotations

from pathlib import Path

import pytest

from tests.loop.realscheduler import find_kube_scheduler


def pytest_collection_modifyitems(items):
    """Lets tests that need the real program wait for it, or tells why they are skipped."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.fixturenames.insert(0, "kube_scheduler")


@pytest.fixture(scope="session")
def kube_scheduler():
    return find_kube_scheduler()
