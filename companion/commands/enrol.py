"""`warref enrol`: the family's own pack is learned, listed and forgotten; and which pack a command looks with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime

from companion import defaults
from companion.commands._vision import opened, vision_faults
from companion.console import out, tell
from companion.errors import Fault, WrongWords
from companion.packs.enrolment import Enrolment, cut_next_cards
from companion.watching.feeds import Feed
from companion.words import Words
from vision.detection.engines import open_detector
from vision.images import load_picture
from vision.packs import pack as packs
from vision.packs.enrol import (
    CutCard,
    EnrolmentDetector,
    EnrolmentNetworks,
    build_pack,
    cut_named_cards,
    enrolment_networks,
    parse_file_name,
)
from vision.packs.row_layout import parse_order
from vision.progress import follow_progress
from vision.read import list_all_pictures
from vision.tracking.pipeline import FramePipeline
from vision.types import Detector, Look, VisionError

_Order = tuple[tuple[str, ...], ...]


def run(options: argparse.Namespace, words: Words) -> int:
    """Learn a pack, or list or forget what was learned. Raises WrongWords unless exactly one of them is asked for."""
    asked = (bool(options.paths), options.source is not None, options.list, options.forget is not None)
    if sum(asked) != 1:
        raise WrongWords(words.say("enrol.which"))
    with vision_faults():
        if options.list:
            _list(options, words)
        elif options.forget is not None:
            packs.delete_pack(defaults.packs_folder(), options.forget)
            tell(words.say("enrol.forgotten", name=options.forget))
        else:
            _learn(options, words)
    return 0


def _list(options: argparse.Namespace, words: Words) -> None:
    folder = defaults.packs_folder()
    names = packs.list_packs(folder)
    if not names:
        tell(words.say("enrol.none"))
    for name in names:
        when = datetime.fromtimestamp(packs.pack_file(folder, name).stat().st_mtime).isoformat(" ", "minutes")
        used = name == names[0]
        said = words.say("enrol.used" if used else "enrol.unused", name=name, when=when)
        out({"pack": name, "enrolled": when, "used": used} if options.json else said)


def _learn(options: argparse.Namespace, words: Words) -> None:
    try:
        order = parse_order(options.order)
        packs.pack_file(defaults.packs_folder(), options.name)
    except VisionError as error:
        raise WrongWords(str(error)) from None
    detector = open_detector(options.weights, options.engine)
    by = enrolment_networks(detector)
    cards = _shown(options, words, order, by, detector) if options.source else _pictured(options, words, order, by)
    tell(words.say("enrol.learning", n=len(cards)))
    pack = build_pack(options.name, cards, by)
    path = packs.save_pack(pack, defaults.packs_folder())
    codes = sorted(set(pack.codes))
    said = words.say("enrol.learned", name=pack.name, n=len(pack.codes))
    out({"pack": pack.name, "cards": len(pack.codes), "codes": codes, "file": str(path)} if options.json else said)


# --- from pictures --------------------------------------------------------------------------------


def _pictured(options: argparse.Namespace, words: Words, order: _Order, by: EnrolmentNetworks) -> Sequence[CutCard]:
    """Pictures named by their cards, or else pictures of rows, in the order given."""
    paths = list(list_all_pictures(options.paths))
    if all(map(parse_file_name, paths)):
        return cut_named_cards(paths, by)
    enrolment = Enrolment(order)
    for path in follow_progress(paths, len(paths)):
        try:
            enrolment = enrolment.with_cards(cut_next_cards(load_picture(path), enrolment, by, options.sure))
        except VisionError as error:
            raise Fault(error.args[0] if str(path) in str(error) else f"{path}: {error}") from None
    _check_complete(enrolment, words)
    return enrolment.cards


# --- before the camera ----------------------------------------------------------------------------


def _shown(
    options: argparse.Namespace, words: Words, order: _Order, by: EnrolmentNetworks, detector: Detector
) -> Sequence[CutCard]:
    """The cards laid before a camera: rows as they come, or with --each one card after the other."""
    enrolment, said = Enrolment(order, each=options.each), ""
    with opened(options.source) as feed:
        tell(_prompt(enrolment, words))
        for look in _looks(feed, FramePipeline(EnrolmentDetector(by) if options.each else detector, feed.still)):
            # One card after the other: what lies there unmoved was taken before.
            if look.frame is None or (options.each and not look.moved):
                continue
            try:
                # A card that is shown alone is the one asked for: an unknown court card may be read as any other.
                found = cut_next_cards(look.frame.image, enrolment, by, sure=options.sure or options.each)
            except VisionError as error:
                if str(error) != said:
                    tell(said := str(error))
                continue
            before, enrolment = enrolment, enrolment.with_cards(found)
            if not enrolment.lacking:
                return enrolment.cards
            if enrolment.lay != before.lay:
                tell(_prompt(enrolment, words))
    _check_complete(enrolment, words)
    return enrolment.cards


def _looks(feed: Feed, pipeline: FramePipeline) -> Iterator[Look]:
    """The settled tables with a card on them, one after the other."""
    while not feed.ended:
        frame = feed.next()
        look = None if frame is None else pipeline.see(frame)
        if look is not None and look.cards and look.frame is not None:
            yield look


def _prompt(enrolment: Enrolment, words: Words) -> str:
    """What is to be laid next."""
    if enrolment.each:
        return words.say("enrol.show", card=enrolment.lay[0])
    return words.say("enrol.lay", cards=_span(enrolment.lay))


def _check_complete(enrolment: Enrolment, words: Words) -> None:
    """Raises Fault where cards are still missing."""
    if enrolment.lacking:
        missing = enrolment.lay[0] if enrolment.each else _span(enrolment.lay)
        raise Fault(words.say("enrol.missing", cards=missing))


def _span(row: Sequence[str]) -> str:
    return f"{row[0]} … {row[-1]}"
