"""JSON patches, JSON merge patches and strategic merge patches."""

from wavetank.apiserver.patches.application import (
    JSON_PATCH,
    MERGE_PATCH,
    OF_CUSTOM,
    PATCH_TYPES,
    STRATEGIC_PATCH,
    apply_patch,
)

__all__ = ["JSON_PATCH", "MERGE_PATCH", "OF_CUSTOM", "PATCH_TYPES", "STRATEGIC_PATCH", "apply_patch"]
