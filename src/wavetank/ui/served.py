"""The page of a served cluster."""

from __future__ import annotations

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.asgi import App
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.ui.documents import read_requests
from wavetank.ui.explaining import explain_pod
from wavetank.ui.feed import ClusterFeed
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.nodefaults import NodeFaults
from wavetank.ui.site import Endpoint, Site, json_response

_WHERE = "Enter the token: it is in the kubeconfig file that wavetank serve has written, unless --token gave it."


def make_app(
    served: ServedCluster, guard: Authenticator, pacing: Pacing, token: str | None, login: OneTimeLogin
) -> App:
    """Returns the API of a served cluster with its page; `token` is what `guard` asks for."""
    return App(served.api, guard, Heartbeat(pacing), ServedPage(served).site(token, login))


class ServedPage:
    """What the page of a served cluster asks for, besides the Kubernetes API and the clock."""

    def __init__(self, served: ServedCluster) -> None:
        self._served = served
        self._feed = ClusterFeed(served.store)
        self._faults = NodeFaults(served)

    def site(self, token: str | None, login: OneTimeLogin) -> Site:
        """Returns the page with its endpoints; `token` is what the API needs."""
        facts = {"mode": "live", "epochSeconds": EPOCH_SECONDS, "where": _WHERE}
        endpoints: dict[tuple[str, str], Endpoint] = {
            ("GET", "/feed"): self._open_feed,
            ("GET", "/explain"): self._explain,
            ("POST", "/documents"): self._read_documents,
            ("POST", "/nodes/fail"): self._fail,
            ("POST", "/nodes/recover"): self._recover,
        }
        return Site(login, facts, token is not None, endpoints)

    async def _open_feed(self, request: Request) -> Stream:
        return self._feed.open()

    async def _explain(self, request: Request) -> Response:
        schedulers = self._served.setting.schedulers
        pod = (request.param("namespace"), request.param("name"))
        return json_response(explain_pod(self._served.store, schedulers, *pod))

    async def _read_documents(self, request: Request) -> Response:
        return json_response(read_requests(request.body.decode("utf-8", "replace"), self._served.api.kinds))

    async def _fail(self, request: Request) -> Response:
        return self._faults.fail(request.param("name"))

    async def _recover(self, request: Request) -> Response:
        return self._faults.recover(request.param("name"))
