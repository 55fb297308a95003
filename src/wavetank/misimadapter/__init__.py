"""misim-orchestration's adapter, with a built-in scheduler and cluster autoscaler behind it."""
