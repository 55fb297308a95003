"""The VolumeBinding plugin."""
