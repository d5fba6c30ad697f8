"""`warref doctor`: checks camera, light, networks, log, port and pack, and names the remedies. Changes nothing."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion import defaults
from companion.commands import _port
from companion.commands._camera_check import SourceSample, judge_light, judge_sizes, read_sample, sample_source
from companion.commands.sessions import log_path
from companion.console import out
from companion.errors import Fault
from companion.log import games, store
from companion.words import Words
from vision.detection.engines import open_detector
from vision.packs.pack import list_packs, pack_file, with_pack
from vision.sources.devices import CameraInfo, list_cameras
from vision.types import Detector, VisionError

#: Bytes on the disk that one session with its pictures may need.
ROOM = 200_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check: its name, whether it is well, and one sentence, with the remedy where it is not."""

    check: str
    ok: bool
    text: str


def run(options: argparse.Namespace, words: Words) -> int:
    """Print the result of each check as soon as it is known; 1 where something needs doing, else 0."""
    well = True
    for finding in _findings(options, words):
        well &= finding.ok
        out(_record(finding) if options.json else _line(finding, words))
    return 0 if well else 1


def _record(finding: Finding) -> dict[str, object]:
    return {"check": finding.check, "ok": finding.ok, "text": finding.text}


def _line(finding: Finding, words: Words) -> str:
    mark = words.say("doctor.well" if finding.ok else "doctor.todo")
    return f"{words.say(f'doctor.{finding.check}')} ({mark}): {finding.text}"


def _findings(options: argparse.Namespace, words: Words) -> Iterator[Finding]:
    detector, networks = _networks(options, words)
    cameras = list_cameras()
    source = options.source or next((str(one.index) for one in cameras if one.answers), None)
    seen = tuple(_view(source, detector, words))
    # A source that gives nothing stands in for no camera.
    shows = len(seen) > 1
    yield _cameras(cameras, options.source if shows else None, words)
    yield from seen
    yield networks
    yield _log(log_path(options), words)
    yield _port_finding(options.port, words)
    yield _pack(options, detector, words)


def _said(check: str, ok: bool, key: str, words: Words, **values: object) -> Finding:
    return Finding(check, ok, words.say(f"doctor.{key}", **values))


# --- what it sees ---------------------------------------------------------------------------------


def _cameras(cameras: tuple[CameraInfo, ...], source: str | None, words: Words) -> Finding:
    answering, busy = ([one for one in cameras if one.answers is answers] for answers in (True, False))
    if answering:
        named = (f"{c.index} {c.name}, {c.width}x{c.height}, {c.frames_per_s:.0f} frames/s" for c in answering)
        return _said("camera", True, "cameras_well", words, cameras="; ".join(named))
    if source is not None:
        return _said("camera", True, "camera_other", words, source=source)
    if busy:
        return _said("camera", False, "camera_busy", words, cameras=words.names(f"{c.index} {c.name}" for c in busy))
    return _said("camera", False, "camera_none", words)


def _view(source: str | None, detector: Detector | None, words: Words) -> Iterator[Finding]:
    """Checks of light and card size on pictures of the source."""
    if source is None:
        yield _said("light", False, "source_none", words)
        return
    try:
        seen = sample_source(source, detector)
    except VisionError as error:
        yield _said("light", False, "source_bad", words, why=error)
        return
    if seen is None:
        yield _said("light", False, "source_silent", words, source=source)
        return
    light = judge_light(seen)
    yield _said("light", light == "well", f"light_{light}", words, n=round(seen.brightness))
    yield _cards(seen, detector, words)


def _cards(seen: SourceSample, detector: Detector | None, words: Words) -> Finding:
    if detector is None:
        return _said("cards", False, "cards_blind", words)
    state, n, cards = judge_sizes(seen)
    return _said("cards", state in ("well", "none"), f"cards_{state}", words, n=n, cards=cards)


# --- what it sees with ------------------------------------------------------------------------------


def _networks(options: argparse.Namespace, words: Words) -> tuple[Detector | None, Finding]:
    try:
        detector = open_detector(options.weights, options.engine)
        found, cards = read_sample(detector)
    except (VisionError, Fault) as error:
        return None, _said("networks", False, "networks_bad", words, why=error)
    if found != cards:
        said = {"found": ", ".join(found) or "-", "cards": ", ".join(cards)}
        return detector, _said("networks", False, "networks_wrong", words, **said)
    return detector, _said("networks", True, "networks_well", words, hash=detector.model_hash)


def _pack(options: argparse.Namespace, detector: Detector | None, words: Words) -> Finding:
    if options.pack == defaults.NO_PACK:
        return _said("pack", True, "pack_off", words)
    folder = defaults.packs_folder()
    name = options.pack or next(iter(list_packs(folder)), None)
    if name is None:
        return _said("pack", True, "pack_none", words)
    try:
        path = pack_file(folder, name)
        if not path.is_file():
            raise VisionError(f"There is no pack {name}.")
        if detector is None:
            return _said("pack", False, "pack_blind", words, name=name)
        with_pack(detector, path)
    except VisionError as error:
        return _said("pack", False, "pack_bad", words, why=error)
    return _said("pack", True, "pack_well", words, name=name)


# --- what it writes to and answers on -----------------------------------------------------------------


def _log(path: Path, words: Words) -> Finding:
    try:
        count = len(store.list_sessions(path))
        if store.in_use(path):
            return _said("log", False, "log_locked", words, path=path)
        there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        # A log is written with files beside it, so its folder counts as well.
        places = (path, path.absolute().parent) if path.exists() else (there,)
        if not all(os.access(place, os.W_OK) for place in places) or (not path.exists() and not there.is_dir()):
            return _said("log", False, "log_folder", words, path=path)
        free = shutil.disk_usage(there).free
    except (Fault, OSError) as error:
        return _said("log", False, "log_bad", words, why=error)
    if free < ROOM:
        return _said("log", False, "log_full", words, path=path, free=free // 10**6)
    if lacking := games.count_unsummed(path):
        return _said("log", False, "log_unsummed", words, path=path, n=lacking)
    key = "log_well" if path.exists() else "log_new"
    return _said("log", True, key, words, path=path, sessions=count, free=free // 10**6)


def _port_finding(number: int, words: Words) -> Finding:
    if _port.free(number):
        return _said("port", True, "port_well", words, port=number)
    if _port.ours(number):
        return _said("port", False, "port_ours", words, port=number)
    who = _port.holder(number) or words.say("doctor.port_somebody")
    return _said("port", False, "port_taken", words, port=number, who=who)
