"""Many experiments at once: scenarios crossed with schedulers and seeds, resumable, with statistics over them."""
