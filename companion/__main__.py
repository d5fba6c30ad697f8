"""`python -m companion` is `warref`. Nothing of the program is loaded before an interrupt is taken care of."""

import os
import sys


def _tell_stopped(kind, error, trace) -> None:  # type: ignore[no-untyped-def]
    """Tell of an interrupt in one word, of anything else as Python does."""
    if issubclass(kind, KeyboardInterrupt):
        _stop()
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _tell_stopped

from companion.interrupts import ignore_interrupts, on_interrupt  # noqa: E402


def _stop(*_: object) -> None:
    # Nothing has been begun yet, and a library interrupted while it loads may be left in pieces.
    os.write(2, b"Stopped.\n")
    os._exit(1)


def main() -> int:
    """Run the call of this process; the exit status."""
    on_interrupt(_stop)
    from companion.cli import main as run

    code = run()
    ignore_interrupts()
    return code


if __name__ == "__main__":
    sys.exit(main())
