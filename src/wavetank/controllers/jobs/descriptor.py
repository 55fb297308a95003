from __future__ import annotations

from wavetank.cluster.objects.groupkinds import JOB
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_jobs(context: ControllerContext) -> None:
    from wavetank.controllers.jobs.jobs import Jobs

    Jobs(context)


def _start_ttl_after_finished(context: ControllerContext) -> None:
    from wavetank.controllers.jobs.ttlafterfinished import TTLAfterFinished

    TTLAfterFinished(context)


JOB_CONTROLLER = ControllerDescriptor("job-controller", _start_jobs, kinds=(JOB,), aliases=("job",))
TTL_AFTER_FINISHED_CONTROLLER = ControllerDescriptor(
    "ttl-after-finished-controller", _start_ttl_after_finished, kinds=(JOB,), aliases=("ttl-after-finished",)
)
