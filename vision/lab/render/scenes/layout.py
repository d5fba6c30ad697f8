"""Layouts of cards on a table: alone, one a seat, in a war, scattered, in rows, fans, hands, heaps, crossed pairs.

Places are in table units (one card high), the origin where the camera looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card's middle lies, how it is turned (radians), its size in card heights, and which side is up."""

    x: float
    y: float
    turn: float = 0.0
    size: float = 1.0
    face_down: bool = False


def _turn(rng: np.random.Generator) -> float:
    """Mostly straight towards one side of the table, at times any way."""
    if rng.random() < 0.3:
        return float(rng.uniform(-np.pi, np.pi))
    return float(rng.choice([0, np.pi, np.pi / 2, -np.pi / 2], p=[0.4, 0.4, 0.1, 0.1]) + rng.normal(0, 0.18))


def alone(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """One card somewhere near the middle."""
    x, y = rng.uniform(-0.35, 0.35, 2) * reach
    return [Spot(float(x), float(y), _turn(rng), face_down=rng.random() < 0.08)]


def scattered(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Several cards apart or slightly over one another."""
    spots: list[Spot] = []
    gap = float(rng.choice([0.45, 0.8, 1.05], p=[0.2, 0.3, 0.5]))
    for _ in range(int(rng.integers(2, 12)) * 2):
        x, y = rng.uniform(-0.52, 0.52, 2) * reach
        if all(np.hypot(x - s.x, y - s.y) > gap for s in spots):
            spots.append(Spot(float(x), float(y), _turn(rng), face_down=rng.random() < 0.15))
    return spots[:12]


def fan(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Cards in a row or a fan, each over the one before."""
    count, step = int(rng.integers(2, 9)), float(rng.uniform(0.16, 0.85))
    bend = float(rng.choice([0.0, rng.uniform(-0.25, 0.25)]))
    lean, start = _turn(rng), rng.uniform(-0.25, 0.25, 2) * reach
    along = lean + float(rng.choice([0.0, np.pi, rng.uniform(-0.6, 0.6)]))
    spots = []
    for i in range(count):
        t = (i - (count - 1) / 2) * step
        direction = np.array([np.cos(along), np.sin(along)])
        side = np.array([-np.sin(along), np.cos(along)]) * bend * t * t * 0.6
        x, y = start + direction * t + side
        spots.append(Spot(float(x), float(y), lean + bend * t * 1.2 + float(rng.normal(0, 0.03))))
    return spots


#: Cards that one pack has, without its jokers.
_ONE_PACK = 52


def bridge_hands(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """One to three hands of up to thirteen cards in an arc, at times a dummy in columns: of most, a strip is seen."""
    spots: list[Spot] = []
    for _ in range(int(rng.integers(1, 4))):
        middle = rng.uniform(-0.38, 0.38, 2) * reach
        spots += _columns(rng, middle) if rng.random() < 0.25 else _arc(rng, middle)
    return spots[:_ONE_PACK]


def _arc(rng: np.random.Generator, middle: NDArray[np.float64]) -> list[Spot]:
    """Cards turned about a point below them, each a strip further than the one before."""
    count, step = int(rng.integers(5, 14)), float(rng.uniform(0.1, 0.3))
    radius = float(rng.uniform(0.9, 4.0)) * float(rng.choice([-1, 1]))
    lean, way = _turn(rng), float(rng.choice([-1, 1]))
    spots = []
    for i in range(count):
        turn = lean + way * (i - (count - 1) / 2) * step / radius + float(rng.normal(0, 0.03))
        x, y = middle + radius * np.array([np.sin(turn) - np.sin(lean), np.cos(lean) - np.cos(turn)])
        spots.append(Spot(float(x + rng.normal(0, 0.02)), float(y + rng.normal(0, 0.02)), turn))
    return spots


def _columns(rng: np.random.Generator, middle: NDArray[np.float64]) -> list[Spot]:
    """Suits side by side, the cards of each one under another: a dummy on the table."""
    lean, step = _turn(rng), float(rng.uniform(0.16, 0.34))
    down, across = np.array([-np.sin(lean), np.cos(lean)]), np.array([np.cos(lean), np.sin(lean)])
    spots = []
    for column in range(int(rng.integers(2, 5))):
        start = middle + across * (column - 1.5) * rng.uniform(0.75, 0.95)
        for row in range(int(rng.integers(1, 6))):
            x, y = start + down * row * step + rng.normal(0, 0.025, 2)
            spots.append(Spot(float(x), float(y), lean + float(rng.normal(0, 0.05))))
    return spots


def crossed(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Two to four cards thrown half over one another."""
    x, y = rng.uniform(-0.25, 0.25, 2) * reach
    spots = []
    for _ in range(int(rng.integers(2, 5))):
        spots.append(Spot(float(x), float(y), _turn(rng)))
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.4, 0.9)
        x, y = x + far * np.cos(angle), y + far * np.sin(angle)
    return spots


def heap(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Three to six cards thrown down together, each beside or over one that lies there, all about one way up."""
    lean, loose = _turn(rng), float(rng.uniform(0.05, 0.6))
    start = rng.uniform(-0.2, 0.2, 2) * reach
    spots = [Spot(float(start[0]), float(start[1]), lean + float(rng.normal(0, loose)))]
    for _ in range(int(rng.integers(2, 6))):
        by, angle, far = spots[int(rng.integers(len(spots)))], rng.uniform(0, 2 * np.pi), rng.uniform(0.45, 1.05)
        x, y = by.x + far * np.cos(angle), by.y + far * np.sin(angle)
        spots.append(Spot(float(x), float(y), lean + float(rng.normal(0, loose))))
    return spots


def slid(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Two to four cards of which each lies over a good part of the one before: its long side or its end looks out."""
    lean, start = _turn(rng), rng.uniform(-0.35, 0.35, 2) * reach
    along = lean + float(rng.choice([0, np.pi / 2], p=[0.75, 0.25])) + float(rng.choice([0, np.pi]))
    spots, at = [], start
    for _ in range(int(rng.choice([2, 3, 4], p=[0.65, 0.25, 0.1]))):
        spots.append(Spot(float(at[0]), float(at[1]), lean + float(rng.normal(0, 0.12))))
        at = at + np.array([np.cos(along), np.sin(along)]) * rng.uniform(0.12, 0.55) + rng.normal(0, 0.06, 2)
    return spots


def grid(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Cards laid out in columns and rows, as for patience or a first look at a pack."""
    dx, dy = float(rng.uniform(0.74, 1.1)), float(rng.uniform(1.03, 1.3))
    columns = min(6, max(1, int(reach[0] / dx)))
    rows = min(3, max(1, int(reach[1] / dy)))
    turn = float(rng.choice([0, np.pi]))
    return [
        Spot(
            (c - (columns - 1) / 2) * dx,
            (r - (rows - 1) / 2) * dy,
            turn + float(rng.normal(0, 0.04)),
            face_down=rng.random() < 0.1,
        )
        for r in range(rows)
        for c in range(columns)
    ]


def _war_pile(rng: np.random.Generator, x: float, y: float, away: float) -> list[Spot]:
    """A tied card, face-down cards fanned or piled over it, and a face-up card on top."""
    turn = 0.0 if away > 0 else np.pi
    step = float(rng.uniform(0.08, 0.42))
    spots = [Spot(x, y, turn + float(rng.normal(0, 0.1)))]
    for i in range(1, int(rng.integers(1, 5)) + 1):
        spots.append(
            Spot(x + float(rng.normal(0, 0.05)), y + away * step * i, turn + float(rng.normal(0, 0.12)), face_down=True)
        )
    last = spots[-1]
    spots.append(Spot(last.x + float(rng.normal(0, 0.08)), last.y + away * step, turn + float(rng.normal(0, 0.15))))
    return spots


def around_table(rng: np.random.Generator, reach: tuple[float, float]) -> list[Spot]:
    """Two to four players' places side by side or across, with draw piles and at times a war."""
    players = int(rng.integers(2, 5))
    spots: list[Spot] = []
    for i in range(players):
        x = (i - (players - 1) / 2) * reach[0] / players * float(rng.uniform(0.7, 1.0))
        y = float(rng.uniform(-0.2, 0.2)) * reach[1]
        away = float(rng.choice([-1.0, 1.0]))
        if rng.random() < 0.3:
            spots += _war_pile(rng, x, y, away)
        elif rng.random() < 0.9:
            spots.append(Spot(x, y, _turn(rng)))
        if rng.random() < 0.4:
            spots += [
                Spot(x + float(rng.normal(0, 0.02)), y - away * 1.25, float(rng.normal(0, 0.06)), face_down=True)
            ] * 2
    return spots


SCENE_LAYOUTS = (
    (alone, 0.12), (scattered, 0.17), (fan, 0.13), (crossed, 0.09), (heap, 0.12), (slid, 0.11), (grid, 0.04),
    (around_table, 0.12), (bridge_hands, 0.1),
)  # fmt: skip


def any_layout(rng: np.random.Generator, size: tuple[int, int], card: float) -> list[Spot]:
    """Spots in the order laid, for a picture of `size` pixels with cards `card` pixels high."""
    reach = (size[0] / card, size[1] / card)
    kind = rng.choice(len(SCENE_LAYOUTS), p=[weight for _, weight in SCENE_LAYOUTS])
    return SCENE_LAYOUTS[int(kind)][0](rng, reach)
