"""Modules that need the extra `train` are left out of the doctest collection where it is not installed."""

import importlib.util

collect_ignore_glob = (
    [] if importlib.util.find_spec("ultralytics") else ["lab/training/*.py", "detection/ultralytics_engine.py"]
)
