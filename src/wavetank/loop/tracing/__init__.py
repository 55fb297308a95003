"""Virtual time for unmodified programs: the clock page and ptrace."""
