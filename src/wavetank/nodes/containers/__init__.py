"""The containers of one pod: their order, their exit codes and restarts, probes and hooks."""
