"""Server-side apply as clients do it: two managers of the same fields, and kubectl moving over from its own apply."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import Served
from tests.support.waiting import PATIENCE_S

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

Kubectl = Callable[..., str]


@pytest.fixture(autouse=True)
def _connections_are_closed() -> Iterator[None]:
    """Lets the connections go that a client leaves to the garbage collector, while its warnings are still ignored."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def kubectl(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """Runs kubectl with a document as its input; fails unless it ends as expected, and returns what it printed."""
    binary, home = kubectl_binary(), tmp_path_factory.mktemp("home")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}

    def run(*words: str, stdin: object = None, status: int = 0) -> str:
        command, given = [str(binary), *words], json.dumps(stdin)
        done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def web(**spec: Any) -> dict[str, Any]:
    container = {"name": "web", "image": "nginx:1", "ports": [{"containerPort": 80}]}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def managers(kubectl: Kubectl, name: str) -> list[tuple[str, str, str]]:
    """Returns manager, operation and subresource of each entry."""
    document = json.loads(kubectl("get", name, "-o", "json", "--show-managed-fields"))
    found = document["metadata"]["managedFields"]
    return [(each["manager"], each["operation"], each.get("subresource", "")) for each in found]


def test_kubectl_applies_conflicts_and_forces(kubectl: Kubectl) -> None:
    apply = ("apply", "--server-side", "-f", "-")
    assert "serverside-applied" in kubectl(*apply, stdin=web(replicas=2))
    kubectl("scale", "deployment", "web", "--replicas=3")
    refused = kubectl(*apply, stdin=web(replicas=2), status=1)
    assert 'conflict with "kubectl" with subresource "scale"' in refused
    assert ".spec.replicas" in refused
    kubectl(*apply, stdin=web())  # leaves the replicas to another manager
    assert kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "3"
    kubectl(*apply, "--force-conflicts", stdin=web(replicas=2))
    assert kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "2"
    taken = kubectl(*apply, "--field-manager=other", "--dry-run=server", stdin=web(replicas=2))
    assert "serverside-applied (server dry run)" in taken
    assert ("other", "Apply", "") not in managers(kubectl, "deployment/web")


def test_what_is_applied_no_longer_goes_away(kubectl: Kubectl) -> None:
    config: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shared"}}
    for manager, data in (("a", {"x": "1", "y": "1"}), ("b", {"y": "1", "z": "1"}), ("a", {"x": "1"}), ("b", {})):
        words = ("apply", "--server-side", "--field-manager", manager, "-f", "-")
        kubectl(*words, stdin={**config, "data": data})
    assert kubectl("get", "configmap", "shared", "-o", "jsonpath={.data}") == '{"x":"1"}'


def test_kubectl_moves_over_from_its_own_apply(kubectl: Kubectl) -> None:
    config: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moved"}}
    kubectl("apply", "-f", "-", stdin={**config, "data": {"a": "1", "b": "1"}})
    assert managers(kubectl, "configmap/moved") == [("kubectl-client-side-apply", "Update", "")]
    kubectl("apply", "--server-side", "-f", "-", stdin={**config, "data": {"a": "2"}})
    moved = [("kubectl-last-applied", "Apply", ""), ("kubectl", "Apply", "")]  # the first has but the annotation
    assert sorted(managers(kubectl, "configmap/moved")) == sorted(moved)
    assert kubectl("get", "configmap", "moved", "-o", "jsonpath={.data}") == '{"a":"2"}'
    assert "configured" in kubectl("apply", "-f", "-", stdin={**config, "data": {"a": "3"}})


def test_lightkube(served: Served) -> None:
    from lightkube import Client, KubeConfig
    from lightkube.core.exceptions import ApiError
    from lightkube.models.meta_v1 import ObjectMeta
    from lightkube.resources.core_v1 import ConfigMap

    api: Any = Client(config=KubeConfig.from_file(str(served.kubeconfig)), namespace="default")

    def apply(manager: str, data: dict[str, str], **options: Any) -> Any:
        return api.apply(ConfigMap(metadata=ObjectMeta(name="light-one"), data=data), field_manager=manager, **options)

    assert apply("one", {"a": "1", "b": "1"}).metadata.managedFields[0].manager == "one"
    with pytest.raises(ApiError) as error:
        apply("two", {"a": "2"})
    assert (error.value.status.code, error.value.status.details.causes[0].field) == (409, ".data.a")
    assert apply("two", {"a": "2"}, force=True).data == {"a": "2", "b": "1"}
    assert apply("one", {}).data == {"a": "2"}


def test_kr8s(served: Served) -> None:
    asyncio.run(_with_kr8s(served))


async def _with_kr8s(served: Served) -> None:
    import kr8s.asyncio

    api = await kr8s.asyncio.api(kubeconfig=str(served.kubeconfig))

    async def apply(manager: str, data: dict[str, str], force: bool = False) -> dict[str, Any]:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "crate"}, "data": data}
        async with api.call_api(
            "PATCH",
            version="v1",
            url="configmaps/crate",
            namespace="default",
            params={"fieldManager": manager, "force": str(force).lower()},
            content=json.dumps(body),
            headers={"Content-Type": "application/apply-patch+yaml"},
        ) as answer:
            found: dict[str, Any] = answer.json()
            return found

    assert (await apply("one", {"a": "1"}))["data"] == {"a": "1"}
    with pytest.raises(kr8s.ServerError, match="conflict with"):
        await apply("two", {"a": "2"})
    assert (await apply("two", {"a": "2"}, force=True))["data"] == {"a": "2"}


def test_the_official_client(served: Served) -> None:
    from kubernetes import config, dynamic

    api = dynamic.DynamicClient(config.new_client_from_config(str(served.kubeconfig)))
    maps = api.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"}, "data": {"a": "1"}}
    made = maps.server_side_apply(body=body, namespace="default", field_manager="one")
    assert made.metadata.managedFields[0].fieldsV1.to_dict() == {"f:data": {"f:a": {}}}
