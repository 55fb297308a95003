"""The resourcequota-controller."""
