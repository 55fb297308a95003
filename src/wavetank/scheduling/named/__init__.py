"""The schedulers that users pick by name: one file for each family of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.attachable import Attachable
from wavetank.scheduling.named.batch import batch_queues
from wavetank.scheduling.named.configurations import configurations
from wavetank.scheduling.named.gpusharing import gpu_policies
from wavetank.scheduling.named.installed import installed_policies
from wavetank.scheduling.named.k8ssim import COMPAT, COMPAT_SUFFIX, kubernetes_algorithms
from wavetank.scheduling.named.policies import policies
from wavetank.scheduling.named.scheduler import NamedScheduler
from wavetank.scheduling.named.volcano import volcano_algorithms
from wavetank.words import did_you_mean

__all__ = ["NamedScheduler", "find_scheduler", "named_schedulers"]


def named_schedulers() -> dict[str, NamedScheduler]:
    """Returns every scheduler that has a name, in the order in which they are listed.

    One of an installed package whose name is taken, whatever its case, is left out: names are unique.
    """
    known = _built_in()
    taken = {name.lower() for name in known}
    for each in installed_policies():
        if each.name.lower() not in taken:
            taken.add(each.name.lower())
            known[each.name] = each
    return known


def _built_in() -> dict[str, NamedScheduler]:
    of_kubernetes = (configurations(), kubernetes_algorithms())
    families = (*of_kubernetes, volcano_algorithms(), policies(), batch_queues(), gpu_policies())
    return {each.name: each for each in chain.from_iterable(families)}


def find_scheduler(
    wanted: str, version: Version, *, name: str = "", args: Mapping[str, Any] | None = None
) -> Attachable:
    """Returns the scheduler of that name, whatever its case, called `name` in results; InputError if there is none."""
    plain = wanted.removesuffix(COMPAT_SUFFIX)
    given = {**(args or {}), COMPAT: True} if plain != wanted else args or {}
    found = _like(plain, _built_in()) or _like(plain, named_schedulers())  # these look through all installed packages
    if found is not None:
        return found.make(name or wanted, version, given)
    known = named_schedulers()
    hint = did_you_mean(wanted, known) or f": known are {', '.join(known)}"
    raise InputError(f"there is no scheduler called {wanted!r}{hint}")


def _like(name: str, known: Mapping[str, NamedScheduler]) -> NamedScheduler | None:
    return next((each for each in known.values() if each.name.lower() == name.lower()), None)
