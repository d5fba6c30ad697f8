"""The result picture: the right size, something in every part of it, letters of every script, whatever the game."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.log.export.png import _has, _own, export_png
from companion.log.store import Log
from companion.words import languages, speak
from tests.companion.log.test_importer import GAMES, played


def picture(path: Path, language: str = "en") -> Image.Image:
    image = Image.open(io.BytesIO(export_png(path, 1, speak(language), lambda jpeg: jpeg)))
    assert image.format == "PNG"
    return image


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.stem)
def test_every_game_makes_a_picture(tmp_path: Path, game: Path) -> None:
    played(tmp_path / "here.db", game)
    image = picture(tmp_path / "here.db")
    assert image.size == (1080, 1350)
    shades = np.asarray(image.convert("L"), dtype=float)
    for top, bottom in ((40, 140), (150, 300), (330, 850), (1200, 1260)):
        assert shades[top:bottom].std() > 4, f"nothing is drawn from {top} to {bottom}"


def test_the_picture_that_decided_is_in_it(tmp_path: Path) -> None:
    played(tmp_path / "here.db")
    red = np.zeros((360, 640, 3), np.uint8)
    red[:] = (20, 20, 230)
    with Log(tmp_path / "here.db") as log:
        look = log._db.execute("SELECT max(look) FROM rulings WHERE kind = 'battle_won' AND replaced_by IS NULL")
        jpeg = cv2.imencode(".jpg", red)[1].tobytes()
        rows = (look.fetchone()[0], jpeg)
        log._db.execute("INSERT INTO pictures (session, look, name, jpeg) VALUES (1, ?, 'table', ?)", rows)
        log._db.conn.commit()
    image = np.asarray(picture(tmp_path / "here.db"))
    assert (abs(image[590, 540].astype(int) - [230, 20, 20]) < 12).all()


def test_a_garbled_picture_is_left_out(tmp_path: Path) -> None:
    played(tmp_path / "here.db")
    with Log(tmp_path / "here.db") as log:
        log._db.execute("INSERT INTO pictures (session, look, name, jpeg) SELECT 1, look, 'table', x'ffd8' FROM inputs")
        log._db.conn.commit()
    assert picture(tmp_path / "here.db").size == (1080, 1350)


def test_a_game_without_a_round_and_names_of_any_length(tmp_path: Path) -> None:
    with Log(tmp_path / "here.db") as log:
        names = ["Maximiliana " * 9, "花 🂡 ‮", "C", "D"]
        log.open_session({"variant": "multi", "players": names}, "", "left-right", live=False)
    assert picture(tmp_path / "here.db").size == (1080, 1350)


@pytest.mark.parametrize("language", languages())
def test_the_typeface_has_every_letter_of_every_language(language: str) -> None:
    words = speak(language)
    text = "".join(words.catalogue.templates.values()) + "♠♥♦♣"
    lacking = {sign for sign in set(text) if not _has(_own(30, False), sign)}
    assert not {sign for sign in lacking if sign.isalpha()}
