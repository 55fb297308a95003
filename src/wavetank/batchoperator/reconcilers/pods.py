from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.batchoperator.client.client import Change, Client
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import ENDS

Key = tuple[str, str]
_NONE: Mapping[Key, KubeObject] = {}
Listener = Callable[[Key, KubeObject], None]  # the testbed's or application's key, and the pod


class TestbedPods:
    """The pods of all testbeds that have not finished: ghost pods, and the pods of applications.

    `on_testbed` and `on_application` functions are called when such a pod comes, goes, is scheduled, terminates or
    gets other labels.
    """

    __test__ = False  # pytest: this is no test

    def __init__(self, client: Client) -> None:
        self._by_testbed: dict[Key, dict[Key, KubeObject]] = {}
        self._by_application: dict[Key, dict[Key, KubeObject]] = {}
        self.on_testbed: list[Listener] = []
        self.on_application: list[Listener] = []
        client.subscribe(POD, self._changed, labels.TESTBED_NAME)

    def of_testbed(self, key: Key) -> Mapping[Key, KubeObject]:
        """Returns the pods of a testbed."""
        return self._by_testbed.get(key, _NONE)

    def of_application(self, key: Key) -> Mapping[Key, KubeObject]:
        """Returns the pods that run the work of an application: executors, task managers."""
        return self._by_application.get(key, _NONE)

    def _changed(self, change: Change) -> None:
        pod = change.object
        testbed = testbed_of(pod)
        present = change.action != "DELETED" and pod.phase not in ENDS
        if present:
            pods = self._by_testbed.setdefault(testbed, {})
            old = pods.get(pod.key)
            pods[pod.key] = pod
            if old is not None and _is_alike(old, pod):
                return
        else:
            _note(self._by_testbed, testbed, pod, present)
        for listener in self.on_testbed:
            listener(testbed, pod)
        application = _application_of(pod)
        if application is not None:
            _note(self._by_application, application, pod, present)
            for listener in self.on_application:
                listener(application, pod)


def testbed_of(pod: KubeObject) -> Key:
    """Returns (namespace, name) of a pod's testbed."""
    return pod.labels.get(labels.TESTBED_NAMESPACE) or pod.namespace, pod.labels[labels.TESTBED_NAME]


def is_ghost(pod: KubeObject) -> bool:
    """Tells whether a pod of a testbed is a ghost pod."""
    return pod.labels.get(labels.IS_GHOST) == "true"


def _is_alike(old: KubeObject, new: KubeObject) -> bool:
    """Tells whether only the phase of a pod has changed, or something else that does not matter here."""
    same = old.uid == new.uid and old.node_name == new.node_name and old.deleting == new.deleting
    return same and (old.labels is new.labels or old.labels == new.labels)


def _application_of(pod: KubeObject) -> Key | None:
    name = pod.labels.get(labels.SPARK_APP) or pod.labels.get(labels.FLINK_APP) or pod.labels.get(labels.FLINK_CLUSTER)
    return None if name is None else (pod.namespace, name)


def _note(table: dict[Key, dict[Key, KubeObject]], key: Key, pod: KubeObject, present: bool) -> None:
    if present:
        table.setdefault(key, {})[pod.key] = pod
        return
    pods = table.get(key)
    if pods is not None and pod.key in pods and pods[pod.key].uid == pod.uid:
        del pods[pod.key]
        if not pods:
            del table[key]
