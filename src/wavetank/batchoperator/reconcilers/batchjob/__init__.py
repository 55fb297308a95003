"""BatchJobs: from ready over queued, submitted, scheduled and running to completed."""
