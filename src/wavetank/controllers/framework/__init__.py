"""What every controller is built from: work queue, indexes by owner and by selector, client, descriptor."""
