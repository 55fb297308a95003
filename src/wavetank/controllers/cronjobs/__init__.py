"""The cronjob-controller."""
