"""GPU sharing and fragmentation (Weng et al., USENIX ATC 2023)."""
