"""The loop from the newest frame to an input for the table."""
