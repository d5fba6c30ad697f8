"""The commands that look: `warref read`, `warref cameras`, and the watching loop of `warref watch`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial

from companion.commands._vision import detector, vision_faults
from companion.console import out, tell
from companion.table.snapshot import CameraChoice
from companion.table.table import Table
from companion.watching.feeds import open_feed
from companion.watching.loop import Watch
from companion.words import Words
from vision.read import format_line, read_lines
from vision.sources.devices import CameraInfo, describe_cameras, list_cameras
from vision.tracking.mirror import Facing


def read(options: argparse.Namespace, words: Words) -> int:
    """Print the cards in pictures; 1 where a picture could not be read, else 0."""
    failed = False
    with vision_faults():
        for line in read_lines(options.paths, detector(options)):
            failed |= "error" in line
            out(line if options.json else format_line(line))
    if failed:
        tell(words.say("read.failed"))
    return int(failed)


def cameras(options: argparse.Namespace, words: Words) -> int:
    """Print the cameras there are."""
    with vision_faults():
        found = list_cameras()
    if options.json:
        for camera in found:
            out(asdict(camera))
    else:
        out(describe_cameras(found))
    return 0


@contextmanager
def watcher(options: argparse.Namespace, words: Words, table: Table, shown: bool = True) -> Iterator[Watch]:
    """The watching loop of a table; a VisionError within the block becomes a Fault."""
    with vision_faults():
        cards, facing = detector(options), Facing(options.mirror)
        # Without a page nobody would hear that the lid is closed.
        silent = (lambda _: None) if shown else tell
        report = partial(_tell_obstacle, words)
        watch = Watch(table, cards, open_feed, lambda: picker(list_cameras()), shown, facing, silent, report)
        with closing(watch):
            yield watch


def _tell_obstacle(words: Words, obstacle: str) -> None:
    tell(words.say(f"obstacle.{obstacle}"))


def picker(cameras: Iterable[CameraInfo]) -> tuple[CameraChoice, ...]:
    """The cameras as the page's picker shows them."""
    return tuple(map(_choice, cameras))


def _choice(camera: CameraInfo) -> CameraChoice:
    size = f"{camera.width} x {camera.height}, {camera.frames_per_s:.0f} frames/s"
    return CameraChoice(str(camera.index), camera.name, size if camera.answers else "does not answer", camera.picture)
