"""Simulated Spark and Flink operators: they create the pods of applications and end them after their run time."""
