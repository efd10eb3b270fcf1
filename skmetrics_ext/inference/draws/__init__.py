"""Resampling: units of rows, metrics as functions of what is drawn."""
