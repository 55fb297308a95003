"""In which aspects a run is compared with its recording."""

from __future__ import annotations

OF_SYNCS = ("time", "proposal", "decision", "conditions", "metrics", "replicas", "writes")
FORCED = "forced "  # before the aspects of syncs that were given the recorded answers

FREE_ASPECTS = (*OF_SYNCS, "scalings", "events")
FORCED_ASPECTS = tuple(f"{FORCED}{aspect}" for aspect in (*OF_SYNCS[1:], "events"))
AUTOSCALER_ASPECTS = (*FREE_ASPECTS, *FORCED_ASPECTS)
