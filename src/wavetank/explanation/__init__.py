"""Explains scheduling attempts: why a pod was bound to its node, or to none."""
