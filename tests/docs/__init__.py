"""The pages of docs/: what they promise of the code, and that they build."""
