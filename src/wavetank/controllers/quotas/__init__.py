"""How much of its quotas a namespace uses."""
