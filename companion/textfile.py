"""Text files that people write: as any editor saves them, read whole or refused in one sentence."""

from __future__ import annotations

import codecs
from pathlib import Path

from companion.faults import Fault

#: Bytes; no evening and no plan of seats is nearly as long, and a device may never end.
LARGEST = 100_000_000


class NotText(Fault):
    """The file can be opened, but what is in it is no text."""


def text_of(path: Path) -> str:
    """The text, with line ends as `\\n` and without the mark that some editors put first.

    Raises NotText, and Fault where the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Fault(f"{path} cannot be opened: {(error.strerror or str(error)).lower()}.") from None
    if len(data) > LARGEST:
        raise NotText(f"{path} is too large, it is not text that somebody wrote.")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise NotText(f"{path} is not text in UTF-8: save it as that, or give another file.") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
