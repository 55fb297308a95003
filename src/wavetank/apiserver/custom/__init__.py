"""Kinds that clients bring: CustomResourceDefinitions, and the objects of the kinds that they define."""
