"""Metrics of probabilities and losses: a kernel and the door around it, one idea a file."""
