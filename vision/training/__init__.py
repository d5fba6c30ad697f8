"""Renders pictures, trains both networks on them with ultralytics, exports and describes them (extra `train`)."""
