"""Metrics of scores that rank: a kernel and the door around it, one idea a file."""
