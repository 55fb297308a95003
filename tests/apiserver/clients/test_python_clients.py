"""Four Python clients, each with its own habits: lists, watches, patches."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.apiserver.serving import Served, a_small_pod
from tests.support.waiting import PATIENCE_S

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def _connections_are_closed() -> Iterator[None]:
    """Lets the connections go that a client leaves to the garbage collector, while its warnings are still ignored."""
    yield
    gc.collect()


def phases(seen: list[tuple[str, str]]) -> list[str]:
    """Returns the phases that a watcher has seen, each once, in order."""
    return list(dict.fromkeys(phase for _, phase in seen))


def test_the_official_client(served: Served) -> None:
    from kubernetes import client, config, watch

    api = client.CoreV1Api(config.new_client_from_config(str(served.kubeconfig)))
    assert [node.metadata.name for node in api.list_node().items] == ["n1", "n2"]
    start = api.list_namespaced_pod("default").metadata.resource_version
    api.create_namespaced_pod("default", a_small_pod("official", duration="20s"))
    seen = []
    stream = watch.Watch().stream(
        api.list_namespaced_pod,
        "default",
        resource_version=start,
        field_selector="metadata.name=official",
        timeout_seconds=30,
    )
    for event in stream:
        seen.append((event["type"], event["object"].status.phase))
        if event["object"].status.phase == "Succeeded":
            break
    assert seen[0] == ("ADDED", "Pending")
    assert phases(seen) == ["Pending", "Running", "Succeeded"]
    patched = api.patch_namespaced_pod("official", "default", {"metadata": {"labels": {"a": "b"}}})
    assert patched.metadata.labels["a"] == "b"
    assert "finished with exit code 0" in api.read_namespaced_pod_log("official", "default")
    with pytest.raises(client.ApiException) as error:
        api.create_namespaced_pod("default", a_small_pod("official"))
    assert error.value.status == 409
    api.delete_namespaced_pod("official", "default")
    assert client.VersionApi(api.api_client).get_code().git_version.startswith("v1.35")


def test_pages_of_a_list(served: Served) -> None:
    from kubernetes import client, config

    api = client.CoreV1Api(config.new_client_from_config(str(served.kubeconfig)))
    for i in range(5):
        api.create_namespaced_config_map("default", {"metadata": {"name": f"page-{i}", "labels": {"of": "pages"}}})
    names: list[str] = []
    token = None
    while True:
        page = api.list_namespaced_config_map("default", label_selector="of=pages", limit=2, _continue=token)
        names.extend(item.metadata.name for item in page.items)
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{i}" for i in range(5)]


def test_the_asynchronous_client(served: Served) -> None:
    asyncio.run(_asynchronously(served))


async def _asynchronously(served: Served) -> None:
    from kubernetes_asyncio import client, config, watch

    configuration = client.Configuration()
    await config.load_kube_config(str(served.kubeconfig), client_configuration=configuration)
    async with client.ApiClient(configuration) as connection:
        api = client.CoreV1Api(connection)
        assert [node.metadata.name for node in (await api.list_node()).items] == ["n1", "n2"]
        start = (await api.list_namespaced_pod("default")).metadata.resource_version
        await api.create_namespaced_pod("default", a_small_pod("async", duration="20s"))
        seen = []
        async with watch.Watch() as watching:
            stream = watching.stream(
                api.list_namespaced_pod,
                "default",
                resource_version=start,
                field_selector="metadata.name=async",
                timeout_seconds=30,
            )
            async for event in stream:
                seen.append((event["type"], event["object"].status.phase))
                if event["object"].status.phase == "Succeeded":
                    break
        assert phases(seen) == ["Pending", "Running", "Succeeded"]
        patched = await api.patch_namespaced_pod("async", "default", {"metadata": {"labels": {"a": "b"}}})
        assert patched.metadata.labels["a"] == "b"
        await api.delete_namespaced_pod("async", "default")


def test_kr8s(served: Served) -> None:
    import kr8s
    from kr8s.objects import Pod

    api = kr8s.api(kubeconfig=str(served.kubeconfig))
    assert [node.name for node in api.get("nodes")] == ["n1", "n2"]
    pod = Pod(a_small_pod("crates"), api=api)
    pod.create()
    pod.wait("condition=Ready", timeout=PATIENCE_S)
    pod.label({"by": "kr8s"})
    assert [found.name for found in api.get("pods", label_selector={"by": "kr8s"}, namespace="default")] == ["crates"]
    pod.patch({"metadata": {"annotations": {"note": "hello"}}})
    pod.refresh()
    assert pod.annotations["note"] == "hello"
    assert "started container main" in "\n".join(pod.logs())
    pod.delete()
    pod.wait("delete", timeout=PATIENCE_S)


def test_kr8s_watches(served: Served) -> None:
    import kr8s
    from kr8s.objects import Pod

    api = kr8s.api(kubeconfig=str(served.kubeconfig))
    Pod(a_small_pod("crates-watched", duration="20s", labels={"for": "kr8s"}), api=api).create()
    seen = []
    for kind, pod in api.watch("pods", namespace="default", label_selector="for=kr8s"):
        seen.append((kind, pod.status.phase))
        if pod.status.phase == "Succeeded":
            break
    assert phases(seen)[-1] == "Succeeded"


def test_lightkube(served: Served) -> None:
    from lightkube import Client, KubeConfig
    from lightkube.core.exceptions import ApiError
    from lightkube.models.meta_v1 import ObjectMeta
    from lightkube.resources.core_v1 import ConfigMap, Node, Pod

    api: Any = Client(config=KubeConfig.from_file(str(served.kubeconfig)), namespace="default")
    assert [node.metadata.name for node in api.list(Node)] == ["n1", "n2"]
    api.create(Pod.from_dict(a_small_pod("light", duration="20s")))
    seen = []
    for kind, pod in api.watch(Pod, fields={"metadata.name": "light"}, server_timeout=30):
        seen.append((kind, pod.status.phase))
        if pod.status.phase == "Succeeded":
            break
    assert phases(seen)[-1] == "Succeeded"
    api.patch(Pod, "light", {"metadata": {"labels": {"a": "b"}}})
    assert api.get(Pod, "light").metadata.labels["a"] == "b"
    api.create(ConfigMap(metadata=ObjectMeta(name="light"), data={"a": "b"}))
    replaced = api.get(ConfigMap, "light")
    replaced.data = {"c": "d"}
    assert api.replace(replaced).data == {"c": "d"}
    api.delete(Pod, "light")
    with pytest.raises(ApiError) as error:
        api.get(Pod, "no-such-pod")
    assert error.value.status.code == 404
