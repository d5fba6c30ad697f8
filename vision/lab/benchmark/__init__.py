"""Speed of the detector, beside other detectors and runtimes."""
