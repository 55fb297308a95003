from __future__ import annotations

import random

from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.resources.groups import ESI, ApiGroup
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework import storeclient


def interface_of(store: Store, namespace: str = "default", group: ApiGroup = ESI) -> Interface:
    """Returns the interface of a simulated cluster in this process."""
    writer = storeclient.StoreClient(store, random.Random(0), _create_no_pods)
    return Interface(StoreClient(store, writer), namespace, group)


def _create_no_pods(pod: Pod) -> None:
    raise AssertionError("the interface creates schedulings, never pods")
