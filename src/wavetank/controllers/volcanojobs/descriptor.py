from __future__ import annotations

from wavetank.cluster.objects.groupkinds import VOLCANO_JOB
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_volcano_jobs(context: ControllerContext) -> None:
    from wavetank.controllers.volcanojobs.jobs import VolcanoJobs

    VolcanoJobs(context)


VOLCANO_JOB_CONTROLLER = ControllerDescriptor(
    "volcano-job-controller", _start_volcano_jobs, kinds=(VOLCANO_JOB,), aliases=("volcano-job",)
)
