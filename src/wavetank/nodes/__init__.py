"""The lifecycle of a pod on its node: admission, image pull, start, run, end, restart; node failures."""
