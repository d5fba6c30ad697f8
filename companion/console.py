"""The terminal and text files: answers on stdout, sentences on stderr, files as any editor saves them."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.errors import Fault, reason
from companion.text import one_line

#: Letters of a word in a sentence; no name of a file that there is takes more.
_LONGEST = 300


def any_writing() -> None:
    """Let every letter be written, whatever the system takes a file or another program to read."""
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        encoding = stream.encoding if stream.isatty() else "utf-8"
        stream.reconfigure(encoding=encoding, errors="backslashreplace")


def out(line: str | Mapping[str, Any]) -> None:
    """A line of the answer, text or JSON, at once. Raises Fault where it cannot be written."""
    text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
    if sys.stdout is None:  # closed by whoever called
        return
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _let_go()
        raise Fault(f"The answer cannot be written: {reason(error)}.") from None


#: What says an English sentence in the language of the call.
_retell: list[Callable[[str], str]] = []


def speak_with(retell: Callable[[str], str]) -> None:
    """Say everything that is told from now on in the language that `retell` speaks."""
    _retell[:] = [retell]


def tell(sentence: str) -> None:
    """A sentence beside the answer, in one line."""
    for retell in _retell:
        sentence = retell(sentence)
    sentence = " ".join(word if len(word) < _LONGEST else f"{word[:80]}…{word[-40:]}" for word in sentence.split(" "))
    with suppress(OSError, AttributeError):  # nobody listens
        sys.stderr.write(one_line(sentence) + "\n")
        sys.stderr.flush()


def _let_go() -> None:
    """Python would try to write what is left once more at its end, and complain once more."""
    with suppress(OSError, io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


# --- text files -------------------------------------------------------------------------------------

#: Bytes; no evening and no plan of seats is nearly as long, and a device may never end.
LARGEST_FILE = 100_000_000


class NotText(Fault):
    """The file can be opened, but what is in it is no text."""


def read_text(path: Path) -> str:
    """The text, with line ends as `\\n` and without the mark that some editors put first.

    Raises NotText, and Fault where the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Fault(f"{path} cannot be opened: {reason(error)}.") from None
    if len(data) > LARGEST_FILE:
        raise NotText(f"{path} is too large, it is not text that somebody wrote.")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(f"{path} is not text in UTF-8: save it as that, or give another file.") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
