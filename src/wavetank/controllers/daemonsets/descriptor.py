from __future__ import annotations

from wavetank.cluster.objects.groupkinds import DAEMON_SET
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_daemon_sets(context: ControllerContext) -> None:
    from wavetank.controllers.daemonsets.daemonsets import DaemonSets

    DaemonSets(context)


DAEMON_SET_CONTROLLER = ControllerDescriptor(
    "daemonset-controller", _start_daemon_sets, kinds=(DAEMON_SET,), aliases=("daemonset",)
)
