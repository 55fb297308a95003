"""The page of a served cluster."""

from __future__ import annotations

from collections.abc import Callable

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.http.asgi import App
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.waiting import beside, run_waiting
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.ui.documents import read_requests
from wavetank.ui.explaining import explain_pod
from wavetank.ui.feed import ClusterFeed
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.nodefaults import fail_node, recover_node
from wavetank.ui.session import Session
from wavetank.ui.site import Endpoint, Site, json_response

_MOST_WRITES = 100  # that the page lists
_WHERE = "Enter the token: it is in the kubeconfig file that wavetank serve has written, unless --token gave it."


def make_app(
    served: ServedCluster,
    guard: Authenticator,
    pacing: Pacing,
    token: str | None,
    login: OneTimeLogin,
    replaced: Callable[[ServedCluster], None] | None = None,
    barrier: str = "",
    keep: Callable[[bool], None] | None = None,
) -> App:
    """Returns the API of a served cluster with its page; `token` is what `guard` asks for.

    `replaced` is called with the cluster that takes the place of the present one when the page goes back in time;
    `barrier` says why it may not, if it may not. `keep` keeps what was written, and the time if it says so.
    """

    def replace(made: ServedCluster) -> None:
        page.follow(made)
        app.end_streams()
        if replaced is not None:
            replaced(made)

    session = Session(served, pacing, guard.authenticate, replace, barrier)
    page = ServedPage(session)
    app = App(session, guard, Heartbeat(pacing, keep), page.site(token, login))
    return app


class ServedPage:
    """What the page of a served cluster asks for, besides the Kubernetes API and the clock."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._feed = ClusterFeed(session.served.store)

    def follow(self, served: ServedCluster) -> None:
        """Shows another cluster from now on."""
        self._feed.follow(served.store)

    def site(self, token: str | None, login: OneTimeLogin) -> Site:
        """Returns the page with its endpoints; `token` is what the API needs."""
        facts = {"mode": "live", "epochSeconds": EPOCH_SECONDS, "where": _WHERE}
        endpoints: dict[tuple[str, str], Endpoint] = {
            ("GET", "/feed"): self._open_feed,
            ("GET", "/explain"): self._explain,
            ("POST", "/documents"): self._read_documents,
            ("POST", "/nodes/fail"): self._fail,
            ("POST", "/nodes/recover"): self._recover,
            ("GET", "/writes"): self._list_writes,
            ("POST", "/rewind"): self._rewind,
        }
        return Site(login, facts, token is not None, endpoints)

    async def _open_feed(self, request: Request) -> Stream:
        return await run_waiting(self._feed.open)

    async def _explain(self, request: Request) -> Response:
        served = self._session.served
        pod = (request.param("namespace"), request.param("name"))
        return json_response(await explain_pod(served.store, served.setting.schedulers, *pod))

    async def _read_documents(self, request: Request) -> Response:
        text, kinds = request.body.decode("utf-8", "replace"), self._session.api.kinds
        return await beside(lambda: json_response(read_requests(text, kinds)))

    async def _fail(self, request: Request) -> Response | Stream:
        name = request.param("name")
        return self._session.act(lambda: f"fail nodes/{name}", lambda served: fail_node(served, name))

    async def _recover(self, request: Request) -> Response | Stream:
        name = request.param("name")
        return self._session.act(lambda: f"recover nodes/{name}", lambda served: recover_node(served, name))

    async def _list_writes(self, request: Request) -> Response:
        """Returns the last writes that have changed something, the newest first, and why none can be undone, if so."""
        last = list(self._session.writes())[-_MOST_WRITES:]
        rows = [
            [number, write.at / SECOND + EPOCH_SECONDS, write.title()]
            for number, write in reversed(last)
            if write.title
        ]
        return json_response({"barrier": self._session.barrier, "writes": rows})

    async def _rewind(self, request: Request) -> Response:
        try:
            number = int(request.param("to"))
        except ValueError:
            raise bad_request("to: expected the number of a write") from None
        await self._session.rewind(number)
        return json_response({})
