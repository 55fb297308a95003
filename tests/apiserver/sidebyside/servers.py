"""The two servers that are compared: kube-apiserver with etcd, and `wavetank serve --bare`, with the same settings."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.apiserver.serving import serving
from tests.apiserver.sidebyside.conversing import Conversation
from tests.support.controlplane.servers import TOKEN, ControlPlane
from tests.support.waiting import PATIENCE_S

# What a server without controllers cannot do: nothing would create service accounts or mark nodes as ready.
_OFF = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"
_NETWORK = "--service-cluster-ip-range=10.0.0.0/16"

Begin = Callable[[], Conversation]


@contextmanager
def real_server(folder: Path, rbac: bool = False) -> Iterator[Begin]:
    """Starts kube-apiserver and etcd; yields what begins a conversation. Skips the test if they are missing."""
    plane = ControlPlane(folder, "RBAC" if rbac else "AlwaysAllow")
    try:
        plane.start_bare(_OFF, _NETWORK, "--allow-privileged")
        host = urlsplit(plane.url).netloc
        context = ssl._create_unverified_context()
        yield lambda: Conversation(
            lambda: http.client.HTTPSConnection(host, context=context, timeout=PATIENCE_S), TOKEN
        )
    finally:
        plane.stop()


@contextmanager
def our_server(folder: Path, rbac: bool = False) -> Iterator[Begin]:
    """Starts `wavetank serve --bare`; yields what begins a conversation."""
    options = ("--authorization", "rbac") if rbac else ()
    with serving(folder, "--bare", "--http", *options, token=TOKEN) as served:
        yield lambda: Conversation(served.connect, TOKEN)
