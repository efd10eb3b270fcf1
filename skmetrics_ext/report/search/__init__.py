"""What a search over candidates should have said: corrected values, and who is as good."""
