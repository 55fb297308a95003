"""A server whose pods change all the time: what bench/serve.py watches."""

from __future__ import annotations

import sys

from wavetank.apiserver.api import Api
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import MAX, Pacing
from wavetank.apiserver.http.asgi import App
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import listen, make_server
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

PODS = 1_000


class Churn:
    """Writes one pod after the other, for ever."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._turn = 0
        for i in range(PODS):
            container = {"name": "main", "image": "busybox:1", "resources": {"requests": {"cpu": "100m"}}}
            manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{i}", "namespace": "default"}}
            store.create(Pod.parse({**manifest, "spec": {"containers": [container]}}, store.specs))
        clock.after(1, self._write)

    def _write(self) -> None:
        self._turn += 1
        pod = self._store.get("Pod", "default", f"p-{self._turn % PODS}").copy()
        assert isinstance(pod, Pod)
        pod.message = str(self._turn)
        self._store.update(pod)
        self._clock.after(1_000, self._write)


def main() -> None:
    clock = Clock()
    store = Store(clock, 20_000)
    api = Api(store)
    Churn(store, clock)
    listening = listen("127.0.0.1", 0)
    print(f"127.0.0.1:{listening.getsockname()[1]}", flush=True)
    app = App(api, Authenticator(sys.argv[1], "127.0.0.1"), Heartbeat(Pacing(clock, MAX)))
    make_server(app).serve_on(listening)


if __name__ == "__main__":
    main()
