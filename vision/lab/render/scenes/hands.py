"""Hands that hold cards: where fingers, palm, sleeve and cards lie in a grip (fan, riffle, peek, deal, gather, square).

Lengths are card heights, the origin where the hand holds, the forearm towards positive y. A grip gives its parts from
the lowest to the topmost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image


@dataclass(frozen=True, slots=True)
class HeldCard:
    """One of the cards in the hand: its middle, turn (radians), bow across and along it, and height above the table."""

    number: int
    x: float
    y: float
    turn: float
    bow: tuple[float, float]
    lift: float


@dataclass(frozen=True, slots=True)
class Limb:
    """A finger, palm or forearm from (x, y) on along `turn` (radians; 0 towards the forearm), `wide` and `long`."""

    kind: str
    x: float
    y: float
    turn: float
    wide: float
    long: float
    lift: float


@dataclass(frozen=True, slots=True)
class HandLook:
    """Colours (BGR) of one person's skin, nails and sleeve; `stripes` across the sleeve, `bare`: no sleeve."""

    skin: tuple[float, float, float]
    nail: tuple[float, float, float]
    sleeve: tuple[float, float, float]
    stripes: int
    bare: bool


#: From the lightest to the darkest skin: BGR of the ten tones of the Monk scale (skintone.google).
SKIN_TONES = (
    (228, 237, 246), (219, 231, 243), (208, 234, 247), (186, 218, 234), (150, 189, 215), (92, 126, 160),
    (65, 92, 130), (52, 65, 96), (41, 49, 58), (32, 36, 41),
)  # fmt: skip

Grip = Callable[[np.random.Generator, int], "list[HeldCard | Limb]"]


def any_look(rng: np.random.Generator) -> HandLook:
    """A person's hands by lot: every skin tone as often, painted nails and bare arms now and then."""
    skin = np.clip(np.array(SKIN_TONES[int(rng.integers(len(SKIN_TONES)))]) + rng.normal(0, 5, 3), 0, 255)
    painted = rng.random() < 0.15
    nail = rng.uniform(0, 255, 3) if painted else np.clip(skin * 1.12 + 8, 0, 255)
    stripes = int(rng.integers(2, 9)) if rng.random() < 0.3 else 0
    sleeve = rng.uniform(0, 255, 3)
    return HandLook(tuple(skin), tuple(nail), tuple(sleeve), stripes, rng.random() < 0.3)


def limb_picture(limb: Limb, look: HandLook) -> Image:
    """A limb's picture (BGRA, its tip on top), shaded as if it were round."""
    wide, long = 96, max(96, round(96 * limb.long / limb.wide))
    mask = np.zeros((long, wide), np.uint8)
    radius = wide // 2 - 2
    if limb.kind == "palm":
        cv2.ellipse(mask, (wide // 2, long // 2), (radius, long // 2 - 2), 0, 0, 360, 255, -1, cv2.LINE_AA)
    else:
        cv2.circle(mask, (wide // 2, radius + 2), radius, 255, -1, cv2.LINE_AA)
        cv2.rectangle(mask, (wide // 2 - radius, radius + 2), (wide // 2 + radius, long), 255, -1)
    across = np.linspace(-1, 1, wide)[None, :, None]
    shade = 0.62 + 0.38 * np.sqrt(np.maximum(0, 1 - across**2))
    image = np.asarray(np.array(look.skin) * np.broadcast_to(shade, (long, wide, 1)), np.float64)
    if limb.kind == "finger":
        image = _with_joints(image, look, wide, long)
    if limb.kind == "arm" and not look.bare:
        image = _with_sleeve(image, look, shade, long)
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.5)
    return np.dstack([np.clip(image, 0, 255).astype(np.uint8), alpha])


def _with_joints(image: NDArray[np.float64], look: HandLook, wide: int, long: int) -> NDArray[np.float64]:
    """A nail at the tip and two creases."""
    marked = np.ascontiguousarray(image)
    cv2.ellipse(marked, (wide // 2, round(wide * 0.34)), (wide // 4, wide // 4), 0, 0, 360, look.nail, -1, cv2.LINE_AA)
    crease = tuple(v * 0.7 for v in look.skin)
    for share in (0.45, 0.75):
        cv2.line(marked, (wide // 4, round(long * share)), (3 * wide // 4, round(long * share)), crease, 2, cv2.LINE_AA)
    return marked


def _with_sleeve(
    image: NDArray[np.float64], look: HandLook, shade: NDArray[np.float64], long: int
) -> NDArray[np.float64]:
    """The sleeve from a fifth of the forearm on."""
    sleeved = np.ascontiguousarray(image)
    start = long // 5
    rows = np.arange(long - start)[:, None, None]
    stripe = 1 - 0.45 * (rows * look.stripes * 2 // max(1, long) % 2) if look.stripes else np.ones_like(rows)
    sleeved[start:] = np.array(look.sleeve) * shade * stripe
    return sleeved


# --- grips ------------------------------------------------------------------------------------------


def _arm(lift: float, y: float, x: float = 0.0, turn: float = 0.0) -> list[HeldCard | Limb]:
    """Palm and forearm from (x, y) on."""
    return [
        Limb("arm", x, y + 0.45, turn, 0.5, 4.0, lift),
        Limb("palm", x, y - 0.1, turn, 0.72, 0.8, lift),
    ]


def _fingers(rng: np.random.Generator, lift: float, y: float, x: float = 0.0) -> list[HeldCard | Limb]:
    """Four fingers side by side, their tips above y."""
    return [
        Limb(
            "finger", x + (n - 1.5) * 0.17 + float(rng.normal(0, 0.02)), y - float(rng.uniform(0.35, 0.6)),
            float(rng.normal(0, 0.12)), 0.16, 0.75, lift,
        )
        for n in range(4)
    ]  # fmt: skip


def _thumb(rng: np.random.Generator, lift: float, y: float, x: float = 0.0) -> Limb:
    return Limb("finger", x - 0.12, y - float(rng.uniform(0.3, 0.5)), float(rng.uniform(-0.7, 0.1)), 0.2, 0.7, lift)


def fan_cards(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """Cards fanned in a hand and shown to the camera, the thumb over them."""
    lift, step = float(rng.uniform(0.3, 1.2)), float(rng.uniform(0.12, 0.35))
    parts = [*_arm(lift, 0.35), *_fingers(rng, lift, 0.3)]
    for number in range(cards):
        turn = (number - (cards - 1) / 2) * step
        bow = (float(rng.normal(0, 0.03)), float(rng.normal(0, 0.03)))
        parts.append(HeldCard(number, 0.62 * np.sin(turn), 0.1 - 0.62 * np.cos(turn), turn, bow, lift))
    return [*parts, _thumb(rng, lift, 0.25)]


def peek_at_card(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """One card bent up at its end by a thumb, the other fingers over it."""
    bend, lift = float(rng.uniform(0.12, 0.3)), float(rng.uniform(0.0, 0.4))
    card = HeldCard(0, 0.0, -0.35, float(rng.normal(0, 0.15)), (0.0, -bend), lift)
    return [card, *_arm(lift + bend, 0.3), *_fingers(rng, lift + bend, 0.2), _thumb(rng, lift + bend, 0.2)]


def deal_card(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """A card between thumb and fingers on its way to the table, the rest of the cards squared in the other hand."""
    lift = float(rng.uniform(0.05, 0.6))
    held = HeldCard(0, 0.0, -0.45, float(rng.normal(0, 0.2)), (float(rng.normal(0, 0.03)), 0.0), lift)
    parts = [*_fingers(rng, lift, 0.2)[:2], held, *_arm(lift, 0.35), _thumb(rng, lift, 0.1)]
    if cards > 1:
        pack = [HeldCard(n, 1.5, 0.1, 0.2 + 0.01 * n, (0.0, 0.0), 0.25 + 0.02 * n) for n in range(1, cards)]
        parts += [*_arm(0.25, 0.6, 1.5), *pack, _thumb(rng, 0.4, 0.5, 1.5)]
    return parts


def riffle_packs(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """Two half-packs whose inner ends are bent up and interlaced, a hand at either side."""
    bend, lift = float(rng.uniform(0.1, 0.28)), float(rng.uniform(0.0, 0.4))
    parts: list[HeldCard | Limb] = []
    for side in (-1, 1):
        turn = side * (np.pi / 2 - float(rng.uniform(0.1, 0.4)))
        parts += _arm(lift, 0.55, 0.75 * side, -0.5 * side)
        for number in range(side < 0, cards, 2):
            shift = float(rng.normal(0, 0.02))
            parts.append(HeldCard(number, side * (0.42 + shift), shift, turn, (0.0, bend), lift + 0.015 * number))
        parts += [_thumb(rng, lift + bend, 0.25, 0.55 * side), *_fingers(rng, lift, 0.4, 0.95 * side)[:2]]
    return parts


def gather_cards(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """Cards that lie about one another are swept together, the fingers flat upon them."""
    parts: list[HeldCard | Limb] = []
    for number in range(cards):
        x, y, turn = (float(v) for v in rng.normal((0, -0.4, 0), (0.3, 0.3, 0.5)))
        parts.append(HeldCard(number, x, y, turn, (0.0, 0.0), 0.01))
    return [*parts, *_arm(0.15, 0.35), *_fingers(rng, 0.1, 0.2), _thumb(rng, 0.1, 0.25)]


def square_pack(rng: np.random.Generator, cards: int) -> list[HeldCard | Limb]:
    """A pack between two hands that push its sides even, a few cards still standing out."""
    lift = float(rng.uniform(0.05, 0.5))
    parts: list[HeldCard | Limb] = []
    for number in range(cards):
        x, y, turn = (float(v) for v in rng.normal(0, (0.05, 0.05, 0.06)))
        parts.append(HeldCard(number, x, y, turn, (0.0, 0.0), lift + 0.01 * number))
    for side in (-1, 1):
        parts += _arm(lift, 0.5, 0.62 * side, -0.6 * side)
        parts += [_thumb(rng, lift + 0.05, 0.3, 0.45 * side), *_fingers(rng, lift, 0.35, 0.6 * side)[:3]]
    return parts


def blend_grips(
    start: Sequence[HeldCard | Limb], end: Sequence[HeldCard | Limb], share: float
) -> list[HeldCard | Limb]:
    """The parts on the way from one pose of a grip to another of as many cards; `share` of the way, 0..1."""
    return [_blend_part(a, b, share) for a, b in zip(start, end, strict=True)]


def _blend_part(a: HeldCard | Limb, b: HeldCard | Limb, share: float) -> HeldCard | Limb:
    x, y, turn, lift = (
        float(p + (q - p) * share) for p, q in ((a.x, b.x), (a.y, b.y), (a.turn, b.turn), (a.lift, b.lift))
    )
    if isinstance(a, HeldCard) and isinstance(b, HeldCard):
        across, down = (p + (q - p) * share for p, q in zip(a.bow, b.bow, strict=True))
        return replace(a, x=x, y=y, turn=turn, lift=lift, bow=(across, down))
    return replace(a, x=x, y=y, turn=turn, lift=lift)


#: The ways to hold cards, and how many cards each takes, from and to.
GRIPS: tuple[tuple[Grip, tuple[int, int]], ...] = (
    (fan_cards, (2, 6)),
    (peek_at_card, (1, 1)),
    (deal_card, (1, 5)),
    (riffle_packs, (4, 10)),
    (gather_cards, (2, 6)),
    (square_pack, (2, 6)),
)
