"""The benchmark of lamps: every kind changes frames, and the comparison counts what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.benchmarks.lamps import KINDS, Change, Tilt, Watched, compare

LABELS = [(kind, label) for kind, them in KINDS.items() for label in them]


def test_there_are_thirty_kinds_and_strengths() -> None:
    assert len(LABELS) >= 30


@pytest.mark.parametrize(("kind", "label"), LABELS)
def test_frames_are_changed_the_same_way_each_time(kind: str, label: str) -> None:
    if isinstance(KINDS[kind][label], Tilt):
        pytest.skip("needs a film")
    image = np.random.default_rng(1).integers(0, 255, (45, 80, 3), dtype=np.uint8)
    films = []
    for _ in range(2):
        apply = KINDS[kind][label].start(Change(7, lambda: pytest.fail("no film is needed")))
        films.append([apply(image, 0.1 * number) for number in range(0, 300, 9)])
    assert all(frame.shape == image.shape and frame.dtype == np.uint8 for frame in films[0])
    assert any((frame != image).any() for frame in films[0])
    assert all((one == other).all() for one, other in zip(*films, strict=True))


def won(at: float, winner: str) -> dict[str, Any]:
    return {"ruling": "battle_won", "at": at, "winner": winner, "faces": {}, "pot": 2, "takes": {}, "text": winner}


def test_a_lost_round_is_missing_and_a_late_one_is_none_that_was_invented() -> None:
    plain = Watched([won(2.0, "Ana"), won(9.0, "Ben"), won(16.0, "Ana")], [])
    tally = compare(plain, Watched([won(2.2, "Ana"), won(15.0, "Ben"), won(16.4, "Ana")], []))
    assert (tally.due, tally.same, tally.late, tally.invented, tally.silent) == (3, 2, 1, 0, 1)
    tally = compare(plain, Watched([won(2.2, "Ana"), won(16.2, "Ben"), won(16.4, "Ana")], []))
    assert (tally.due, tally.same, tally.late, tally.invented, tally.silent) == (3, 2, 0, 1, 1)


def test_a_reason_counts_when_it_is_given_in_time() -> None:
    plain = Watched([won(2.0, "Ana"), won(9.0, "Ben")], [])
    assert compare(plain, Watched([won(2.0, "Ana")], [(13.9, "The lamp pulses.")])).silent == 0
    assert compare(plain, Watched([won(2.0, "Ana")], [(14.1, "The lamp pulses.")])).silent == 1
    assert compare(plain, Watched([won(2.0, "Ana")], [(1.0, "The lamp pulses.")])).silent == 1
