from __future__ import annotations

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError, NotFoundError


class ApiEvictions:
    """Evicts pods through the eviction API of a served cluster."""

    def __init__(self, api: Api, user: User) -> None:
        self._api = api
        self._user = user

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; ApiError if a budget does not allow it or the pod is gone."""
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": {"gracePeriodSeconds": grace_s},
        }
        path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/eviction"
        headers = {"content-type": "application/json"}
        answer = self._api.handle(
            Request("POST", path, headers=headers, body=msgspec.json.encode(eviction), user=self._user)
        )
        assert isinstance(answer, Response)
        if answer.status >= 400:
            message = str(msgspec.json.decode(answer.body).get("message"))
            raise NotFoundError(message) if answer.status == 404 else ApiError(message)
