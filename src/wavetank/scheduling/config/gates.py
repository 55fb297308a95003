"""Feature gates of kube-scheduler that change what wavetank simulates; all of these are off by default."""

from __future__ import annotations

FeatureGates = frozenset[str]

NO_GATES: FeatureGates = frozenset()
STORAGE_CAPACITY_SCORING = "StorageCapacityScoring"
VOLUME_LIMIT_SCALING = "VolumeLimitScaling"
