"""What stands below an object's path: its status, its scale, its log, and actions such as binding and eviction."""
