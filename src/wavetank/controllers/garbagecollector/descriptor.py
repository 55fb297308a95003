from __future__ import annotations

from wavetank.cluster.objects.groupkinds import (
    CRON_JOB,
    DAEMON_SET,
    JOB,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    STATEFUL_SET,
    VOLCANO_JOB,
    WORKLOAD,
)
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_garbage_collector(context: ControllerContext) -> None:
    from wavetank.controllers.garbagecollector.garbagecollector import GarbageCollector

    GarbageCollector(context)


GARBAGE_COLLECTOR = ControllerDescriptor(
    "garbage-collector-controller",
    _start_garbage_collector,
    # whose objects own others, or are owned by pods
    kinds=(REPLICA_SET, REPLICATION_CONTROLLER, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB, VOLCANO_JOB, WORKLOAD),
    aliases=("garbagecollector",),
    served_from_start=True,
)
