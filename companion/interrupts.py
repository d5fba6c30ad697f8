"""The polite ways to end a program: Ctrl-C, a kill that can be caught, and the terminal being closed."""

import signal

#: Windows has no terminal that hangs up.
_POLITE = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def on_interrupt(handler) -> None:  # type: ignore[no-untyped-def]
    """Call `handler` at each of them; this module is loaded before one is taken care of, and loads no other.

    A script that runs us in the background has SIGINT ignored; it ends us all the same. What ignores the closing of
    its terminal (nohup) goes on.
    """
    for polite in _POLITE:
        if polite == signal.SIGINT or signal.getsignal(polite) is not signal.SIG_IGN:
            signal.signal(polite, handler)


def ignore_interrupts() -> None:
    """Let the program end as it has ended: Python would die of a signal that comes while it is cleared away."""
    for polite in _POLITE:
        signal.signal(polite, signal.SIG_IGN)
