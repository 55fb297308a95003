"""What is wrong with an object that a client sends, in the words of the real server; one file per group of rules.

Every `check_...` function yields the mistakes that it finds below a path such as `spec.template.spec`.
"""
