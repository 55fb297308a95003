"""Parts of specs that are parsed once: resources, selectors, taints, affinity terms, volumes, device selectors."""
