"""The garbage-collector-controller."""
