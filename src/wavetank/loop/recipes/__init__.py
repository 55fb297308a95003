"""Known programs: how each is built from Go's module proxy, and what it needs to run in the loop. One file each."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.loop.recipes.clusterautoscaler import CLUSTER_AUTOSCALER
from wavetank.loop.recipes.karpenter import KARPENTER
from wavetank.loop.recipes.kueue import KUEUE
from wavetank.loop.recipes.recipe import Recipe
from wavetank.loop.recipes.volcano import VOLCANO_CONTROLLERS, VOLCANO_SCHEDULER, VOLCANO_WEBHOOKS

# By the name under which a program is built.
RECIPES: Mapping[str, Recipe] = {
    "cluster-autoscaler": CLUSTER_AUTOSCALER,
    "karpenter": KARPENTER,
    "kueue": KUEUE,
    "vc-controller-manager": VOLCANO_CONTROLLERS,
    "vc-scheduler": VOLCANO_SCHEDULER,
    "vc-webhook-manager": VOLCANO_WEBHOOKS,
}
# Several programs that are built under one name.
FAMILIES: Mapping[str, tuple[str, ...]] = {"volcano": ("vc-scheduler", "vc-controller-manager", "vc-webhook-manager")}

UNKNOWN = Recipe()

__all__ = ["FAMILIES", "RECIPES", "UNKNOWN", "Recipe", "recipe_of"]


def recipe_of(name: str) -> Recipe:
    """Returns the recipe of a program by its name; an empty one for a program of the user's own."""
    return RECIPES.get(name, UNKNOWN)
