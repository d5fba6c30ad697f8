"""`warref enrol`: the family's own pack is learned, listed and forgotten; and which pack a command looks with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from companion import defaults
from companion.commands._vision import opened, plainly
from companion.console import out, tell
from companion.errors import Fault, WrongWords
from companion.watching.feeds import Feed
from companion.words import Words
from vision.detection.engines import open_detector
from vision.images import load_picture
from vision.packs import pack as packs
from vision.packs.enrol import (
    Card,
    EnrolmentDetector,
    EnrolmentNetworks,
    build_pack,
    cut_cards_laid,
    cut_cards_of_rows,
    cut_largest_card,
    cut_named_cards,
    enrolment_networks,
    parse_file_name,
)
from vision.packs.row_layout import parse_order
from vision.read import list_all_pictures
from vision.tracking.pipeline import FramePipeline
from vision.types import Detector, Look, VisionError

_Order = Sequence[Sequence[str]]


def run(options: argparse.Namespace, words: Words) -> int:
    """Learn a pack, or list or forget what was learned."""
    asked = (bool(options.paths), options.source is not None, options.list, options.forget is not None)
    if sum(asked) != 1:
        raise WrongWords(words.say("enrol.which"))
    with plainly():
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


def _pictured(options: argparse.Namespace, words: Words, order: _Order, by: EnrolmentNetworks) -> list[Card]:
    """Pictures named by their cards, or else pictures of rows, in the order given."""
    paths = list(list_all_pictures(options.paths))
    if all(map(parse_file_name, paths)):
        return cut_named_cards(paths, by)
    cards: list[Card] = []
    done = 0
    for path in paths:
        found, rows = _laid(path, by, order[done:], options.sure)
        cards += found
        done += rows
    if done < len(order):
        raise Fault(words.say("enrol.missing", cards=_span(order[done])))
    return cards


def _laid(path: Path, by: EnrolmentNetworks, order: _Order, sure: bool) -> tuple[list[Card], int]:
    try:
        return cut_cards_laid(load_picture(path), by, order, sure)
    except VisionError as error:
        raise Fault(error.args[0] if str(path) in str(error) else f"{path}: {error}") from None


def _span(row: Sequence[str]) -> str:
    return f"{row[0]} … {row[-1]}"


# --- before the camera ----------------------------------------------------------------------------


def _shown(
    options: argparse.Namespace, words: Words, order: _Order, by: EnrolmentNetworks, detector: Detector
) -> list[Card]:
    with opened(options.source) as feed:
        looks = _looks(feed, FramePipeline(EnrolmentDetector(by) if options.each else detector, feed.still))
        if options.each:
            return _one_by_one(looks, words, [code for row in order for code in row], by)
        return _in_rows(looks, words, order, by, options.sure)


def _looks(feed: Feed, eyes: FramePipeline) -> Iterator[Look]:
    """The settled tables with a card on them, one after the other."""
    while not feed.ended:
        frame = feed.next()
        look = None if frame is None else eyes.see(frame)
        if look is not None and look.cards and look.frame is not None:
            yield look


def _one_by_one(looks: Iterator[Look], words: Words, codes: Sequence[str], by: EnrolmentNetworks) -> list[Card]:
    cards: list[Card] = []
    for code in codes:
        tell(words.say("enrol.show", card=code))
        look = next((look for look in looks if look.moved), None)
        if look is None or look.frame is None:
            raise Fault(words.say("enrol.missing", cards=code))
        cards.append((code, cut_largest_card(look.frame.image, by)))
    return cards


def _in_rows(looks: Iterator[Look], words: Words, order: _Order, by: EnrolmentNetworks, sure: bool) -> list[Card]:
    """Rows are taken as they come: all at once, or below the earlier ones, or in their place."""
    cards: list[Card] = []
    done, said = 0, ""
    row_of = {code: row for row, codes in enumerate(order) for code in codes}
    tell(words.say("enrol.lay", cards=_span(order[0])))
    for look in looks:
        try:
            found, rows = cut_cards_of_rows(look.frame.image, by, order, done, sure) if look.frame else ([], range(0))
        except VisionError as error:
            if str(error) != said:
                tell(said := str(error))
            continue
        # Rows that are seen once more are taken from the newer look.
        cards = [card for card in cards if row_of.get(card[0], len(order)) not in rows] + found
        if rows.stop == len(order):
            return cards
        if rows.stop > done:
            done = rows.stop
            tell(words.say("enrol.lay", cards=_span(order[done])))
    raise Fault(words.say("enrol.missing", cards=_span(order[done])))
