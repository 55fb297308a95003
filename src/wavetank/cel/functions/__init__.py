"""The functions and operators of the language, by the types that they are called on."""
