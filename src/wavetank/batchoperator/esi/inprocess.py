from __future__ import annotations

import random

from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.esi.interface import Interface
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework import storeclient


def interface_of(store: Store, namespace: str = "default") -> Interface:
    """Returns the interface of a simulated cluster in this process."""
    return Interface(StoreClient(store, storeclient.StoreClient(store, random.Random(0), _create_no_pods)), namespace)


def _create_no_pods(pod: Pod) -> None:
    raise AssertionError("the interface creates schedulings, never pods")
