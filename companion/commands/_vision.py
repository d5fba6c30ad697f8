"""Source, networks and pack for every command that reads cards; their failures become Faults."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from companion import defaults
from companion.console import tell
from companion.errors import Fault, WrongWords
from companion.watching.feeds import Feed, open_feed
from companion.words import speak
from vision.background import BackgroundCall
from vision.detection.engines import open_detector
from vision.packs.pack import PackError, list_packs, pack_file, with_pack
from vision.types import Detector, VisionError

#: Seconds after which a source that is being opened is said to take long.
_LONG_S = 5.0


@contextmanager
def vision_faults() -> Iterator[None]:
    """Raise a VisionError of the block as a Fault."""
    try:
        yield
    except VisionError as error:
        raise Fault(str(error)) from None


@contextmanager
def opened(source: str, paced: bool = False) -> Iterator[Feed]:
    """The feed of a source, closed after the block. Raises Fault where it cannot be opened."""
    with vision_faults(), closing(_open_patiently(source, paced)) as feed:
        yield feed


def _open_patiently(source: str, paced: bool) -> Feed:
    """The feed; says on stderr that it is still being opened where that takes long. Raises VisionError."""
    call = BackgroundCall(lambda: open_feed(source, paced), "opening", discard=lambda feed: feed.close())
    try:
        return call.result(_LONG_S)
    except TimeoutError:
        tell(speak(defaults.default_language()).say("state.still_opening"))
    return call.result()


def detector(options: argparse.Namespace) -> Detector:
    """The networks that the call names, with the pack that it names or that was enrolled last.

    A pack that cannot be used is told of, and reading goes on without it. Raises VisionError.
    """
    pack = _pack(options)
    found = open_detector(options.weights, options.engine)
    if pack is not None:
        try:
            return with_pack(found, pack)
        except PackError as error:
            tell(str(error))
    return found


def _pack(options: argparse.Namespace) -> Path | None:
    folder, name = defaults.packs_folder(), options.pack
    if name == defaults.NO_PACK:
        return None
    known = list_packs(folder)
    if name is not None and name not in known:
        raise WrongWords(f"There is no pack {name}; enrolled: {', '.join(known) or defaults.NO_PACK}.")
    foreign = options.engine != "auto" or (options.weights is not None and options.weights.suffix == ".pt")
    if name is None and (foreign or not known):
        return None
    return pack_file(folder, name or known[0])
