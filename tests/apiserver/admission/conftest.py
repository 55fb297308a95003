from __future__ import annotations

import pytest

from tests.apiserver.admission.asking import add
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock


@pytest.fixture
def store() -> Store:
    store = Store(Clock())
    add(store, "v1", "Namespace", "ns", status={"phase": "Active"})
    return store
