"""kube-apiserver 1.35.8 and `wavetank serve --bare` answer the same requests alike, but for known differences."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apiserver.sidebyside.comparing import differences
from tests.apiserver.sidebyside.scenarios import SCENARIOS, WITH_RBAC, conversations
from tests.apiserver.sidebyside.servers import Begin, our_server, real_server
from tests.support.controlplane.clusters import need_all

SEED = 1
# Kinds to which the real server's own controllers write at some time, and which warn of webhooks that nothing serves.
ASYNCHRONOUS = ("FlowSchema", "APIService", "ValidatingWebhookConfiguration", "CustomResourceDefinition")
MOST_DIFFERENCES = {
    "life": 10,
    "writes": 12,
    "changes": 25,
    "selecting": 6,
    "reading": 0,
    "lists": 3,
    "pods": 12,
    "subresources": 4,
    "webhooks": 10,
    "initial": 6,
    "paths": 25,
    "roles": 1,
}


@pytest.fixture(scope="module")
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Begin, Begin]]:
    need_all()
    real, ours = (tmp_path_factory.mktemp(name) for name in ("real", "ours"))
    with real_server(real, request.param) as begin_real, our_server(ours, request.param) as begin_ours:
        yield begin_real, begin_ours


@pytest.mark.parametrize(
    ("servers", "scenario"), [(each in WITH_RBAC, each) for each in sorted(SCENARIOS)], indirect=["servers"]
)
def test_both_servers_answer_alike(scenario: str, servers: tuple[Begin, Begin]) -> None:
    found: list[str] = []
    for name, hold in conversations([scenario], SEED):
        if not name.endswith(ASYNCHRONOUS):
            real, ours = (begin() for begin in servers)
            hold(real)
            hold(ours)
            real.close()
            ours.close()
            found += [f"{name}: {step.request}: {lines[0]}" for step, lines in differences(real.steps, ours.steps)]
    assert len(found) <= MOST_DIFFERENCES[scenario], "\n".join(found)
