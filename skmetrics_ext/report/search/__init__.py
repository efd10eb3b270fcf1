"""Searches over candidates: corrected values, and which candidates are as good as the best."""
