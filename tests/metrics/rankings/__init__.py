"""Areas and other numbers of a ranking."""
