"""Metrics of predicted labels: a kernel and the door around it, one idea a file."""
