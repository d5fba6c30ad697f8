"""Without the extra `train` its modules are no part of a test run: they cannot be imported to look for examples."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("ultralytics") else ["by_ultralytics.py", "training"]
