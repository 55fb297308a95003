"""The deployment-controller."""
