"""What the tests of this folder share: a cluster that is kept in a folder, and may be killed at any moment."""

from __future__ import annotations

import json
import shutil
from itertools import count
from pathlib import Path
from typing import Any

from tests.apiserver.inprocess import JSON, MERGE
from tests.support.objects import node_manifest
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.cluster.releases import SERVED
from wavetank.controllers.descriptors import read_names
from wavetank.kernel.durations import seconds
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.simulation.served.state.statefolder import StateFolder
from wavetank.workloads.cluster import Cluster

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"

Document = dict[str, Any]

_numbers = count()


def a_setting() -> ServedSetting:
    """Returns a cluster of two nodes with kube-scheduler, kubelets and controllers."""
    scheduler = SchedulerDefinition("default", "", default_configuration(SERVED.version))
    nodes = Cluster([node_manifest("n1"), node_manifest("n2")])
    return ServedSetting(nodes, (scheduler,), True, read_names("*"), start=0)


class KeptCluster:
    """A served cluster whose state is kept in a folder; what is answered is committed, as in the server."""

    def __init__(self, folder: Path, setting: ServedSetting) -> None:
        self.folder, self.setting = folder, setting
        self.state = StateFolder(folder)
        self.cluster = ServedCluster(setting, lambda _: None, state=self.state)
        self.state.journal.commit()
        self._copies: list[KeptCluster] = []

    def close(self) -> None:
        """Closes the folder, and those of all copies."""
        self.state.close()
        for each in self._copies:
            each.close()

    def send(self, method: str, path: str, body: object = None) -> Response | Stream:
        """Makes a request and commits it."""
        path, _, query = path.partition("?")
        headers = {"content-type": MERGE if method == "PATCH" else JSON}
        pairs = tuple(tuple(pair.split("=", 1)) for pair in query.split("&") if pair)
        data = b"" if body is None else json.dumps(body).encode()
        answer = self.cluster.api.handle(Request(method, path, pairs, headers, data))
        self.state.journal.commit()
        return answer

    def ask(self, method: str, path: str, body: object = None, status: int = 200) -> Any:
        """Makes a request that is answered with a status, and returns the answer."""
        answer = self.send(method, path, body)
        assert isinstance(answer, Response)
        assert answer.status == status, answer.body
        return json.loads(answer.body)

    def create(self, path: str, body: object) -> Any:
        return self.ask("POST", path, body, 201)

    def pods(self) -> dict[str, Document]:
        return {pod["metadata"]["name"]: pod for pod in self.ask("GET", PODS)["items"]}

    def advance(self, duration_s: float) -> None:
        self.cluster.clock.run(self.cluster.clock.now + seconds(duration_s))
        self.state.journal.commit(with_time=True)

    def killed(self) -> KeptCluster:
        """Returns the cluster that a new server makes of what a killed one has left."""
        copied = self.folder.with_name(f"copy-{next(_numbers)}")
        shutil.copytree(self.folder, copied)
        self._copies.append(KeptCluster(copied, self.setting))
        return self._copies[-1]
