"""What each row adds to a metric: variances from derivatives by the tally."""
