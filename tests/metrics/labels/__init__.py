"""Metrics of predicted labels: by hand, by identities, at their edges."""
