"""The latency model and its presets."""
