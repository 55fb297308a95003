"""HTTP calls to scheduler extenders."""
