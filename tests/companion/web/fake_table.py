"""A table without eyes and rules: it holds scenes and remembers what was asked of it."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Future
from typing import Any

from companion.table.requests import Refused, Request
from companion.table.snapshot import (
    CameraChoice,
    CameraView,
    CardView,
    Chip,
    LogLine,
    MeterView,
    QuestionView,
    SeatsView,
    SeatView,
    Snapshot,
    TryingView,
    WarView,
)
from companion.words import Words

LEFT = ((0.12, 0.3), (0.3, 0.27), (0.34, 0.72), (0.15, 0.75))
RIGHT = ((0.6, 0.28), (0.78, 0.32), (0.76, 0.77), (0.57, 0.73))
CAMERAS = (
    CameraChoice("0", "Laptop camera", "1280 × 720, 30 pictures a second"),
    CameraChoice("2", "Document camera", "1920 × 1080, 15 pictures a second"),
)


class FakeTable:
    """Holds a snapshot and a picture; `acts` are all that were sent, `refusal` is the answer to the next."""

    def __init__(self, now: Snapshot, picture: tuple[int, bytes] | None = None) -> None:
        self.now = now
        self.picture = picture
        self.acts: list[Request] = []
        self.refusal = ""
        self.unkept: dict[int, bytes] = {}

    def send(self, act: Request) -> Future[str]:
        answer: Future[str] = Future()
        self.acts.append(act)
        if self.refusal:
            answer.set_exception(Refused(self.refusal))
        else:
            answer.set_result("Done.")
        return answer

    def speak(self, words: Words) -> Snapshot:
        """The same snapshot: a scene's sentences are as they were written."""
        return dataclasses.replace(self.now, language=words.language)

    def show(self, **changes: Any) -> None:
        """Replace the snapshot as a whole, one version on."""
        self.now = dataclasses.replace(self.now, version=self.now.version + 1, **changes)


def scene(**changes: Any) -> Snapshot:
    """Two players, nothing turned yet, and whatever is changed about it."""
    waiting = Snapshot(
        version=1,
        session=None,
        variant="classic",
        players=("Ana", "Ben"),
        settings={"war_down": 3, "short": "last_card", "end": "all_cards"},
        house_rules=(
            "Tie: three face down, one face up, again if it ties",
            "Short of cards: all but the last face down, the last one up",
            "Ends when one player has every card",
        ),
        chip=Chip.WAITING_FOR_CARDS,
        chip_text="Waiting for cards",
        verdict="Turn your first cards.",
        reason="",
        round=1,
        counts={"Ana": 26, "Ben": 26},
        change={},
        on_table=0,
        total=52,
        proof="26 + 26 = 52 cards",
        wars_won={"Ana": 0, "Ben": 0},
        camera=CameraView("0", True, True, "", 24.6, 12, (1280, 720), CAMERAS),
    )
    return dataclasses.replace(waiting, **changes)


def card(player: str, code: str, certainty: str = "sure", **more: Any) -> CardView:
    return CardView(player, code, 0.98 if certainty == "sure" else 0.55, certainty, **more)


LOG = (
    LogLine(
        15,
        9,
        64.0,
        "battle_won",
        6,
        "Ana takes both: king beats nine.",
        {"Ana": ("KS",), "Ben": ("9H",)},
        {"Ana": 31, "Ben": 21},
        {"Ana": 2},
        evidence=True,
        winner="Ana",
        taken=2,
    ),
    LogLine(
        13,
        8,
        52.0,
        "battle_won",
        5,
        "Ben wins the war and takes 10 cards: queen beats ten.",
        {"Ana": ("8S", "10D"), "Ben": ("8H", "QC")},
        {"Ana": 30, "Ben": 22},
        {"Ben": 10},
        corrected=True,
        evidence=True,
        winner="Ben",
        taken=10,
    ),
    LogLine(
        11,
        6,
        40.0,
        "war_declared",
        5,
        "WAR. Two eights. Ana and Ben: 3 face down, then 1 face up.",
        {"Ana": ("8S",), "Ben": ("8H",)},
        evidence=True,
    ),
    LogLine(9, 5, 33.0, "blind", None, "I could not see the table for 3 seconds."),
    LogLine(
        8,
        4,
        21.0,
        "battle_won",
        4,
        "Ana takes both: ace beats two.",
        {"Ana": ("AD",), "Ben": ("2C",)},
        {"Ana": 35, "Ben": 17},
        {"Ana": 2},
        evidence=True,
        winner="Ana",
        taken=2,
    ),
)

VERDICT = scene(
    session=1,
    chip=Chip.VERDICT,
    chip_text="Verdict",
    verdict="Ana takes both: king beats nine.",
    reason="The higher card takes all the cards played.",
    round=6,
    counts={"Ana": 31, "Ben": 21},
    change={"Ana": 1, "Ben": -1},
    proof="31 + 21 = 52 cards",
    wars_won={"Ana": 0, "Ben": 1},
    cards=(
        card("Ana", "KS", look=9, crop=1, polygon=LEFT, alternatives=(("JS", 0.01),)),
        card("Ben", "9H", "check", look=9, crop=2, polygon=RIGHT, alternatives=(("6H", 0.31), ("8H", 0.04))),
    ),
    log=LOG,
)

WAR = scene(
    session=1,
    chip=Chip.WAR,
    chip_text="War: lay cards",
    verdict="WAR. Two eights. Ana and Ben: 3 face down, then 1 face up.",
    reason="Each lays three cards face down and a fourth face up; the higher fourth card takes all.",
    round=5,
    counts={"Ana": 34, "Ben": 16},
    on_table=2,
    proof="34 + 16 + 2 on the table = 52 cards",
    waiting=("Ana", "Ben"),
    cards=(card("Ana", "8S", look=6, crop=1, polygon=LEFT), card("Ben", "8H", look=6, crop=2, polygon=RIGHT)),
    war=WarView("8", ("Ana", "Ben"), {"Ana": 3, "Ben": 3}, {"Ana": 2, "Ben": 3}, (), "eight: 3 down + 1 up"),
    log=LOG[2:],
)

RAZBOI = scene(
    session=1,
    variant="razboi",
    chip=Chip.WAR,
    chip_text="War: lay cards",
    verdict="WAR. Two eights. Ana: 7 face down, then 1 face up. Ben: short of cards. 1 face down, the last one up.",
    reason="The tied card sets the size of the war: eights, seven down and the eighth up; face cards count ten. "
    "House rule: who is short lays all but the last face down.",
    round=9,
    counts={"Ana": 48, "Ben": 2},
    on_table=2,
    proof="48 + 2 + 2 on the table = 52 cards",
    waiting=("Ana",),
    cards=(
        card("Ana", "8S", look=6, crop=1, polygon=LEFT),
        card("Ben", "8H", look=6, crop=2, polygon=RIGHT),
        card("Ben", "3C", look=7, crop=2, polygon=((0.6, 0.5), (0.78, 0.52), (0.76, 0.97), (0.57, 0.93))),
    ),
    war=WarView("8", ("Ana", "Ben"), {"Ana": 7, "Ben": 1}, {"Ana": 3, "Ben": 1}, ("Ben",), "eight: 7 down + number 8"),
    log=LOG[2:],
)

QUESTION = scene(
    session=1,
    chip=Chip.QUESTION,
    chip_text="A question for you",
    verdict="Ben, which card is it: six or nine?",
    reason="A card that may be read in two ways is asked about where it decides.",
    round=7,
    cards=(
        card("Ana", "8S", look=9, crop=1, polygon=LEFT),
        card("Ben", "9C", "unreadable", look=9, crop=2, polygon=RIGHT, alternatives=(("6C", 0.44),)),
    ),
    question=QuestionView(17, "Ben, which card is it: six or nine?", "Ben", ("6C", "9C")),
    log=LOG,
)

VIOLATION = scene(
    session=1,
    chip=Chip.DIFFERS,
    chip_text="Paused: table and page differ",
    verdict="One card at a time, please, Ben: queen and four lie face up. Leave one.",
    reason="On the count of three everyone turns only the top card.",
    violation="One card at a time, please, Ben: queen and four lie face up. Leave one.",
    held=True,
    round=7,
    cards=(card("Ana", "8S", crop=1, polygon=LEFT), card("Ben", "QC"), card("Ben", "4D")),
    log=(LogLine(18, 11, 80.0, "violation", 7, "One card at a time, please, Ben.", {"Ben": ("QC", "4D")}), *LOG),
)

GAME_OVER = scene(
    session=1,
    chip=Chip.GAME_OVER,
    chip_text="Game over",
    verdict="Ana wins the game! She has every card.",
    reason="Who has won every card wins the game.",
    round=87,
    counts={"Ana": 52, "Ben": 0},
    change={"Ana": 2, "Ben": -2},
    proof="52 + 0 = 52 cards",
    wars_won={"Ana": 4, "Ben": 2},
    out=("Ben",),
    winner="Ana",
    cards=(card("Ana", "JS", look=9, crop=1, polygon=LEFT), card("Ben", "6D", look=9, crop=2, polygon=RIGHT)),
    log=LOG,
)

CAMERA_LOST = dataclasses.replace(
    VERDICT,
    chip=Chip.CAMERA_LOST,
    chip_text="Camera lost",
    camera=CameraView("0", False, False, "The laptop camera no longer answers; I keep trying.", 0.0, 0, (0, 0)),
)

DEMO = dataclasses.replace(VERDICT, demo=True, banner="This is the sample game. Pick your camera to play your own.")

FOUR = scene(
    session=1,
    variant="multi",
    players=("Grandmother Ana", "Benjamin", "Cai", "Dorothea Elisabeth"),
    chip=Chip.WAITING_FOR_PLAYERS,
    chip_text="Waiting for Cai and Dorothea Elisabeth",
    verdict="Grandmother Ana: jack, Benjamin: ten. Waiting for Cai and Dorothea Elisabeth.",
    round=12,
    counts={"Grandmother Ana": 20, "Benjamin": 12, "Cai": 0, "Dorothea Elisabeth": 18},
    change={"Grandmother Ana": 3, "Benjamin": -1, "Dorothea Elisabeth": -1},
    on_table=2,
    proof="20 + 12 + 0 + 18 + 2 on the table = 52 cards",
    wars_won={"Grandmother Ana": 2},
    waiting=("Dorothea Elisabeth",),
    out=("Cai",),
    cards=(card("Grandmother Ana", "JD", crop=1), card("Benjamin", "10C", crop=2)),
    log=LOG,
)

FOUR_WAR = dataclasses.replace(
    FOUR,
    chip=Chip.WAR,
    chip_text="War: lay cards",
    verdict="WAR. Two eights. Grandmother Ana, Benjamin, Cai and Dorothea Elisabeth: 3 face down, then 1 face up.",
    reason="When the highest cards tie everybody fights: three down, one up. House rule: everybody fights.",
    counts={"Grandmother Ana": 19, "Benjamin": 11, "Cai": 3, "Dorothea Elisabeth": 15},
    on_table=4,
    proof="19 + 11 + 3 + 15 + 4 on the table = 52 cards",
    waiting=FOUR.players,
    out=(),
    cards=(
        card("Grandmother Ana", "8D", crop=1, look=3),
        card("Benjamin", "8C", crop=2, look=3),
        card("Benjamin", "2C", crop=2, look=4),
        card("Cai", "3C", crop=2, look=3),
        card("Dorothea Elisabeth", "5S", crop=2, look=3),
    ),
    war=WarView(
        "8", FOUR.players, dict.fromkeys(FOUR.players, 3), {"Benjamin": 3, "Cai": 1}, ("Cai",), "eight: 3 down + 1 up"
    ),
)

STEAL = dataclasses.replace(
    VERDICT,
    variant="steal",
    split={"Ana": {"pile": 20, "face_up": 11}, "Ben": {"pile": 21, "face_up": 2}},
    counts={"Ana": 31, "Ben": 23},
    proof="31 + 23 = 54 cards",
    pile_tops={"Ana": "?", "Ben": "7C"},
    thieves={"Ana": ("Ben",), "Ben": ("Ana",)},
    untold={"Ana": ("KS", "9H")},
)

METERS = tuple(
    MeterView(name, name != "glare", text)
    for name, text in (
        ("light", "enough"),
        ("sharpness", "sharp"),
        ("glare", "on a card: turn the lamp away, or the card a little"),
        ("size", "cards are 164 pixels high"),
        ("rate", "25 pictures a second"),
        ("mirrored", "shown as the camera gives it"),
    )
)
SEATED = SeatsView(
    (
        SeatView("Ana", "left", 0.25, 0.5, ((0.03, 0.1), (0.45, 0.1), (0.45, 0.9), (0.03, 0.9))),
        SeatView("Ben", "right", 0.75, 0.5, ((0.55, 0.1), (0.97, 0.1), (0.97, 0.9), (0.55, 0.9))),
    )
)
TRYING = scene(session=1, seats=SEATED, trying=TryingView(True, {"Ana": "KS"}, METERS))
READY = scene(
    session=1,
    seats=SEATED,
    trying=TryingView(True, {"Ana": "KS", "Ben": "9H"}, tuple(dataclasses.replace(one, ok=True) for one in METERS)),
)

UNWATCHED = dataclasses.replace(VERDICT, camera=CameraView(ok=False, choices=CAMERAS))

APPEAL = dataclasses.replace(
    VERDICT,
    violation="Ben disagrees. Let us look at it together.",
    log=(LogLine(16, 10, 70.0, "notice", None, "Ben disagrees. Let us look at it together.", disputes=9), *LOG),
)

UNDONE = dataclasses.replace(
    VERDICT,
    log=LOG[1:],
    undone=(dataclasses.replace(LOG[0], undone=10),),
    undo=8,
    redo=10,
    counts={"Ana": 30, "Ben": 22},
)

SCENES = {
    "waiting": scene(),
    "verdict": VERDICT,
    "war": WAR,
    "razboi": RAZBOI,
    "question": QUESTION,
    "violation": VIOLATION,
    "game_over": GAME_OVER,
    "camera_lost": CAMERA_LOST,
    "demo": DEMO,
    "four": FOUR,
    "four_war": FOUR_WAR,
    "steal": STEAL,
    "trying": TRYING,
    "ready": READY,
    "unwatched": UNWATCHED,
    "appeal": APPEAL,
    "undone": UNDONE,
}

#: As long as a name gets, and longer: pages must wrap or cut it.
ENDLESS = "Maximiliana" * 18


def endless(shown: Snapshot) -> Snapshot:
    """The same scene with a first player whose name does not end."""
    old = shown.players[0]

    def named(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(old, ENDLESS)
        if isinstance(value, tuple):
            return tuple(map(named, value))
        if isinstance(value, dict):
            return {named(key): named(item) for key, item in value.items()}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = {part.name: named(getattr(value, part.name)) for part in dataclasses.fields(value)}
            return dataclasses.replace(value, **parts)
        return value

    changed = named(shown)
    assert isinstance(changed, Snapshot)
    return changed
