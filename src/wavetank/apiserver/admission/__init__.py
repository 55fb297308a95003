"""The admission chain: plugins that change or refuse writes, beyond the validation of the kind itself."""
