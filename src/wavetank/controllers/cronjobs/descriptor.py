from __future__ import annotations

from wavetank.cluster.objects.groupkinds import CRON_JOB
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_cron_jobs(context: ControllerContext) -> None:
    from wavetank.controllers.cronjobs.cronjobs import CronJobs

    CronJobs(context)


CRON_JOB_CONTROLLER = ControllerDescriptor(
    "cronjob-controller", _start_cron_jobs, kinds=(CRON_JOB,), aliases=("cronjob",)
)
