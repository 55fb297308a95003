from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.applications.simulated.flavor import Picture, pod_document
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.applications import SPARK_APPLICATION
from wavetank.cluster.objects.pod import FAILED, RUNNING
from wavetank.textcache import cached_text

_MIB = {"": 1 / (1 << 20), "k": 1 / 1024, "m": 1, "g": 1024, "t": 1 << 20}  # units of the JVM, in MiB
_LEAST_OVERHEAD = 384  # MiB


class SimulatedSpark:
    """The pods of a SparkApplication: a driver, then its executors."""

    kind = SPARK_APPLICATION

    def workers(self, application: KubeObject) -> int:
        """Returns the number of executors."""
        return int((application.spec.get("executor") or {}).get("instances") or 1)

    def leader_pod(self, application: KubeObject) -> dict[str, Any]:
        """Returns the driver."""
        driver = application.spec.get("driver") or {}
        return self._pod(application, f"{application.name}-driver", "driver", driver, None)

    def worker_pod(self, application: KubeObject, number: int) -> dict[str, Any]:
        """Returns an executor."""
        executor = application.spec.get("executor") or {}
        options = application.spec.get("batchSchedulerOptions") or {}
        name = f"{application.name}-exec-{number}"
        return self._pod(application, name, "executor", executor, options.get("priorityClassName"))

    def _pod(
        self, application: KubeObject, name: str, role: str, part: Mapping[str, Any], priority: str | None
    ) -> dict[str, Any]:
        marks = {**(part.get("labels") or {}), labels.SPARK_APP: application.name, "spark-role": role}
        requests = {"cpu": str(part.get("coreRequest") or part.get("cores") or 1), "memory": _memory(part)}
        spec = {
            "schedulerName": part.get("schedulerName"),
            "affinity": part.get("affinity"),
            "nodeSelector": part.get("nodeSelector"),
            "tolerations": part.get("tolerations"),
            "priorityClassName": priority,
        }
        return pod_document(application, name, {key: str(value) for key, value in marks.items()}, requests, spec)

    def status(self, application: KubeObject, picture: Picture) -> dict[str, Any]:
        """Returns the status of a SparkApplication."""
        if picture.leader == FAILED:
            state = "FAILED"
        elif picture.ended:
            state = "COMPLETED"
        elif picture.leader == RUNNING:
            state = "RUNNING"
        else:
            state = "SUBMITTED"
        status: dict[str, Any] = {
            "applicationState": {"state": state},
            "driverInfo": {"podName": f"{application.name}-driver"},
            "executorState": {
                name: "COMPLETED" if picture.ended else phase.upper() for name, phase in picture.workers.items()
            },
        }
        return {**status, "lastSubmissionAttemptTime": picture.started} if picture.started else status


def _memory(part: Mapping[str, Any]) -> str:
    """Returns the memory of a driver or executor with its overhead."""
    memory = _mib(str(part.get("memory") or "1g"))
    stated = part.get("memoryOverhead")
    overhead = max(_LEAST_OVERHEAD, memory // 10) if stated is None else _mib(str(stated))
    return f"{memory + overhead}Mi"


@cached_text(1024)
def _mib(text: str) -> int:
    """Reads an amount of memory as the JVM writes it: 512m, 2g."""
    number, unit = text.rstrip("bBkKmMgGtTi"), text.lstrip("0123456789.").lower()[:1]
    return int(float(number or 0) * _MIB.get(unit, 1))
