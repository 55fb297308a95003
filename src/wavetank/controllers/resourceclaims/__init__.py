"""The resourceclaim-controller."""
