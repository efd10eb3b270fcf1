"""The page of a report, and the parts that it shares with the pages of searches and scores."""
