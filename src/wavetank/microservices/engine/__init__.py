"""The event loop in Python: every mechanism, both presets."""
