"""The two kinds of failure that a person can put right; the text of each is one plain sentence."""

from __future__ import annotations


class Fault(Exception):
    """The job failed for a reason outside the program."""

    exit_code = 1


class WrongWords(Fault):
    """The words of the call are off: an unknown variant, a wrong number of players, an unknown setting."""

    exit_code = 2


def reason(error: OSError) -> str:
    """What the system says of its error, for the middle of a sentence.

    >>> reason(OSError(13, "Permission denied"))
    'permission denied'
    """
    return (error.strerror or str(error)).lower()
