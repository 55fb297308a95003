"""What the tests of this folder share: a served cluster with its page, in a thread of the test's process."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from functools import cache
from typing import Self

import yaml

from tests.apiserver.serving import TOKEN, Answer
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import Server, listen, make_config
from wavetank.cluster.releases import SERVED
from wavetank.controllers.descriptors import read_names
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.served import make_app
from wavetank.workloads.cluster import Cluster


@cache
def setting_of(nodes: str) -> ServedSetting:
    """Returns a cluster with kube-scheduler, kubelets and controllers."""
    scheduler = SchedulerDefinition("default", "", default_configuration(SERVED.version))
    return ServedSetting(Cluster(list(yaml.safe_load_all(nodes))), (scheduler,), True, read_names("*"))


class ServedPages:
    """Serves a cluster, whose clock is paused, while a `with` block lasts."""

    def __init__(self, setting: ServedSetting) -> None:
        guard, login = Authenticator(TOKEN, "127.0.0.1"), OneTimeLogin(TOKEN)
        self.cluster = ServedCluster(setting, guard.authenticate)
        app = make_app(self.cluster, guard, Pacing(self.cluster.clock, 1.0, paused=True), TOKEN, login)
        self._socket = listen("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.link = login.link(f"{self.url}/ui/")
        self._server = Server(make_config(app), app)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        eventually(lambda: self._server.started, lambda: "the server has not started")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE_S)
        self._socket.close()
        assert self._server.error is None

    def _serve(self) -> None:
        asyncio.run(self._server.serve([self._socket]))

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        """Makes one request with the token."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def advance(self, by: str) -> None:
        """Advances the clock."""
        assert self.ask("POST", f"/wavetank/clock/advance?by={by}").status == 200
