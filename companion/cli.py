"""`warref`: the words of the call, the command they name, and every failure as one plain sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from companion import defaults
from companion.commands._options import asked_language, parser
from companion.console import any_writing, speak_with, tell
from companion.errors import Fault, reason
from companion.interrupts import on_interrupt
from companion.preferences import load_preferences
from companion.words import speak

#: Each command: what it does, and where it is written as `module:function`; only the one asked for is loaded.
COMMANDS = {
    "demo": ("the sample game through the real networks, referee, log and page", "demo:run"),
    "cameras": ("the cameras there are", "look:cameras"),
    "read": ("what cards are in these pictures", "look:read"),
    "watch": ("referee one table", "watch:run"),
    "replay": ("derive all rulings again from what was seen", "replay:run"),
    "simulate": ("play without a table, through the same engine", "simulate:run"),
    "film": ("a looks script as a film of a rendered table", "film:run"),
    "enrol": ("learn what your own pack looks like", "enrol:run"),
    "explain": ("a rule in words, its source, the other common ways", "explain:run"),
    "rules": ("how a game is played, from dealing to the end", "explain:tell_rules"),
    "sessions": ("the sessions in the log", "sessions:sessions"),
    "games": ("the games of the log; end, note, remove them, rename players, delete pictures", "games:run"),
    "export": ("a session, or all, as json, tables, a page to keep, a picture, a link for BG Stats", "sessions:export"),
    "import": ("games that were exported as json, or those of another log, into this log", "import_session:run"),
    "backup": ("the log with its pictures as one file", "sessions:backup"),
    "restore": ("a backup in place of the log, which is kept under another name", "sessions:restore"),
    "settings": ("the program's settings and where each comes from; writes one into the file", "settings:run"),
    "doctor": ("camera, light, cards, networks, log, port and pack: what is well and what to do", "doctor:run"),
}
MAIN = "home:run"
#: Filled by the first interrupt.
_interrupted: list[bool] = []


def main(argv: Sequence[str] | None = None) -> int:
    """Run one call. Gives 0 when done, 1 when the job failed, 2 when the call's words are off."""
    any_writing()
    try:
        argv = sys.argv[1:] if argv is None else argv
        words = speak(asked_language(argv) or defaults.default_language())
        speak_with(words.retell)
        chosen = {key: one.value for key, one in load_preferences().items()}
        if chosen["lang"] and not asked_language(argv):
            words = speak(chosen["lang"])
            speak_with(words.retell)
        options = parser(COMMANDS, MAIN, words, chosen).parse_args(argv)
        words = speak(options.lang or words.language)
        command = _command(options.run)
        on_interrupt(_interrupt)
        return command(options, words)
    except Fault as fault:
        tell(str(fault))
        return fault.exit_code
    except KeyboardInterrupt:
        tell("Stopped.")
        return 1
    except ImportError:
        # A library that is interrupted while it loads tells of it in this way.
        if not _interrupted:
            raise
        tell("Stopped.")
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; Python would complain once more at exit
        return 1
    except MemoryError:
        tell("There is not enough memory for that: close other programs, or give less at once.")
        return 1
    except OSError as error:
        about = f"{error.filename}: " if error.filename else ""
        tell(f"{about}{reason(error)}.")
        return 1


def _command(where: str) -> Callable[[argparse.Namespace, object], int]:
    module, _, function = where.partition(":")
    found: Callable[[argparse.Namespace, object], int] = getattr(
        import_module(f"companion.commands.{module}"), function
    )
    return found


def _interrupt(*_: object) -> None:
    _interrupted.append(True)
    raise KeyboardInterrupt
