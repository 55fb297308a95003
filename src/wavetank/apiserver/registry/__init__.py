"""The strategy, validation and warnings of every kind, found by its GroupKind."""
