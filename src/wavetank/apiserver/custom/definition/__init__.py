"""CustomResourceDefinitions themselves: how they are checked, written and served."""
