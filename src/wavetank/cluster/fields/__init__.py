"""Parts of specs that are parsed once: quantities, selectors, taints, affinity terms, volumes."""
