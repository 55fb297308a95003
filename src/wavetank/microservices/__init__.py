"""Microservice performance: requests, operations, CPU sharing, resilience patterns and the network."""
