"""Training, calibration and export of the networks."""
