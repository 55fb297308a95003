"""Validation of objects, with the real server's messages; a package for each group of kinds.

Every `check_...` function yields the errors that it finds below a path such as `spec.template.spec`.
"""
