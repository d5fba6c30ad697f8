"""The bundled pictures and films: small enough to travel, and what the list beside them says they are."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.simulation.film import read_film_script
from companion.simulation.samples import FILMS, GAME, SCRIPTS, SEEN, STILLS, main
from vision.images import list_pictures, load_picture
from vision.lab.evaluation.labels import load_labels

SAMPLES = Path(__file__).parents[3] / "sample_images"
LINES = [json.loads(line) for line in (SAMPLES / SEEN).read_text("utf-8").splitlines()]
PICTURES = [*list_pictures(SAMPLES), *list_pictures(SAMPLES / GAME[0])]


def test_every_picture_is_listed_with_what_must_be_seen() -> None:
    assert {line["file"] for line in LINES} == {path.relative_to(SAMPLES).as_posix() for path in PICTURES}
    assert len(list_pictures(SAMPLES)) >= 12 and 8 <= len(list_pictures(SAMPLES / GAME[0])) <= 12
    codes = {card["code"] for line in LINES for card in line["cards"]}
    assert "JOKER" in codes and any(line["backs"] and not line["cards"] for line in LINES)


def test_the_list_can_be_scored_against() -> None:
    photos = load_labels(SAMPLES / SEEN)
    assert all(photo.complete and photo.path.is_file() for photo in photos)
    assert all(label.box is not None for photo in photos for label in photo.labels)


@pytest.mark.parametrize("still", STILLS, ids=lambda still: still.name)
def test_every_face_of_a_picture_is_listed(still) -> None:
    (line,) = (line for line in LINES if line["file"] == f"{still.name}.jpg")
    faces = [face for shown in still.faces.values() for face in shown]
    assert sorted(card["code"] for card in line["cards"]) == sorted(
        "JOKER" if face in ("JR", "JB") else face for face in faces
    )
    assert line["backs"] == sum(still.backs.values())


def test_the_game_shows_the_cards_of_its_script() -> None:
    looks = read_film_script(SCRIPTS / f"{GAME[0]}.looks").looks
    shown = [line for line in LINES if line["file"].startswith(f"{GAME[0]}/")]
    for look, line in zip(looks, shown, strict=True):
        faces = [face for player in look.faces.values() for face in player]
        assert sorted(card["code"] for card in line["cards"]) == sorted(faces)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_pictures_are_small_files(picture: Path) -> None:
    assert picture.stat().st_size < 150_000
    assert load_picture(picture).shape == (720, 1280, 3)


@pytest.mark.parametrize("name", [name for name, *_ in FILMS])
def test_films_are_small_files_of_at_least_eight_rounds_with_a_war(name: str) -> None:
    path = SAMPLES / f"{name}.mp4"
    assert path.stat().st_size < 3_000_000
    film = cv2.VideoCapture(str(path))
    assert (film.get(cv2.CAP_PROP_FRAME_WIDTH), film.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (1280, 720)
    looks = read_film_script(SCRIPTS / f"{name}.looks").looks
    rounds = [look for look in looks if [len(faces) for faces in look.faces.values()] == [1, 1]]
    assert len(rounds) >= 8 and any(any(look.backs.values()) for look in looks)


def test_missing_scripts_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr("companion.simulation.samples.STILLS", ())
    assert main([str(tmp_path / "out"), "--scripts", str(tmp_path)]) == 1
    assert "game.looks cannot be opened" in capsys.readouterr().err


@pytest.mark.slow
def test_the_pictures_are_what_the_program_renders(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("companion.simulation.samples.FILMS", ())
    assert main([str(tmp_path)]) == 0
    for line in LINES:
        made, kept = load_picture(tmp_path / line["file"]), load_picture(SAMPLES / line["file"])
        assert np.abs(made.astype(int) - kept).mean() < 1.5, line["file"]
    assert (tmp_path / SEEN).read_text("utf-8") == (SAMPLES / SEEN).read_text("utf-8")
