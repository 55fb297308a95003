from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.controllers.framework.context import ControllerContext


@dataclass(frozen=True)
class ControllerDescriptor:
    """A built-in controller: its name in kube-controller-manager and how it is started.

    `start` imports the controller's module and creates the controller. It is called when the first object of one of
    `kinds` exists, so that a run without such objects neither imports the module nor pays for its subscriptions. In a
    served cluster a controller with `served_from_start` starts with the cluster.
    """

    name: str
    start: Callable[[ControllerContext], None]
    kinds: tuple[GroupKind, ...] = ()
    aliases: tuple[str, ...] = ()  # older and shorter names
    served_from_start: bool = False
