"""The persistentvolume-binder-controller, with provisioning, and the ephemeral-volume-controller."""
