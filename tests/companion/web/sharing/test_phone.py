"""A phone as the camera: its pictures, what it is told, and when it becomes the table's camera."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.table.requests import SelectCamera
from companion.table.snapshot import CameraView
from companion.web import create_app
from companion.web.sharing.guests import Role
from companion.web.sharing.listening import SharingView
from companion.web.sharing.phone import LARGEST_PICTURE, SPARE_MS, WATCHED_MS
from tests.companion.web.fake_table import VERDICT, FakeTable
from tests.companion.web.sharing.test_admission import ask
from vision.sources.phone import Phones

ID, OTHER = "0123456789abcdef", "fedcba9876543210"
JPEG = cv2.imencode(".jpg", np.zeros((72, 128, 3), np.uint8))[1].tobytes()


@pytest.fixture
def phones():
    return Phones()


@pytest.fixture
def table():
    return FakeTable(VERDICT)


@pytest.fixture
def app(table, phones):
    app = create_app(table, phones=phones)
    here = app.extensions["war-referee-sharing"]
    here.guests.open()
    here.view = SharingView("192.168.1.5", 8766)
    return app


def watch(table, source, ok=True, **more):
    table.now = replace(table.now, camera=CameraView(source, True, ok), **more)


def begin(app, **body):
    return ask(app, "POST", "/phone/begin", Role.CAMERA, json={"phone": ID, **body}).json


def send(app, data=JPEG, phone=ID):
    return ask(
        app, "POST", f"/phone/picture?phone={phone}", Role.CAMERA, json=None, data=data, content_type="image/jpeg"
    )


def test_a_phone_whose_page_was_opened_becomes_the_camera(app, table):
    watch(table, "0")
    assert begin(app, first=True)["ok"]
    assert table.acts == [SelectCamera(f"phone:{ID}:phone")]


def test_one_that_comes_back_takes_nothing_from_a_camera_that_sees(app, table):
    watch(table, "0")
    begin(app)
    assert not table.acts
    watch(table, "0", ok=False)
    begin(app)
    assert len(table.acts) == 1


def test_a_second_phone_waits_until_it_is_taken(app, table):
    watch(table, f"phone:{OTHER}:Ben")
    said = begin(app, first=True)
    assert not table.acts and said["state"] == "other" and "Another phone" in said["says"]
    begin(app, take=True)
    assert table.acts == [SelectCamera(f"phone:{ID}:phone")]
    table.acts.clear()
    watch(table, f"phone:{OTHER}:Ben", ok=False)
    begin(app, first=True)
    assert len(table.acts) == 1


def test_the_camera_that_it_is_already_is_left_alone(app, table):
    watch(table, f"phone:{ID}:phone", ok=False)
    begin(app, first=True, take=True)
    assert not table.acts


@pytest.mark.parametrize(
    ("source", "paused", "state", "next_ms"),
    [
        (f"phone:{ID}:Ana", False, "watched", WATCHED_MS),
        (f"phone:{ID}:Ana", True, "paused", SPARE_MS),
        (f"phone:{OTHER}:Ben", False, "other", SPARE_MS),
        ("0", False, "spare", SPARE_MS),
    ],
)
def test_the_answer_paces_it_and_says_how_it_stands(app, table, phones, source, paused, state, next_ms):
    watch(table, source, paused=paused)
    said = send(app).json
    assert (said["state"], said["next_ms"]) == (state, next_ms) and said["says"]
    assert phones.next(ID, 0, 0)[0] == JPEG


def test_what_is_no_picture_is_refused_in_words(app, phones):
    for data in (b"", b"GIF89a", b"x" * (LARGEST_PICTURE + 1)):
        answer = send(app, data)
        assert answer.status_code in (400, 413) and answer.json["error"]
    assert not phones.list()
    assert send(app, JPEG + b"\0" * 1_000_000).status_code == 200


@pytest.mark.parametrize("phone", ["", "x", "../../etc", "A" * 16])
def test_a_phone_that_is_none_is_refused(app, table, phone):
    assert send(app, phone=phone).status_code == 400
    assert ask(app, "POST", "/phone/begin", Role.CAMERA, json={"phone": phone}).status_code == 400
    assert ask(app, "POST", "/phone/away", Role.CAMERA, json={"phone": phone}).status_code == 400
    assert not table.acts


def test_why_it_is_away_is_passed_on(app, phones):
    send(app)
    assert ask(app, "POST", "/phone/away", Role.CAMERA, json={"phone": ID, "why": "hidden"}).status_code == 200
    with pytest.raises(TimeoutError, match="hidden"):
        phones.next(ID, 0, 0)


def test_at_the_laptop_its_page_leads_to_the_code(app):
    answer = app.test_client().get("/phone", environ_overrides={"HTTP_HOST": "127.0.0.1"})
    assert (answer.status_code, answer.location) == (303, "/share?as=camera")
    page = ask(app, "GET", "/phone", Role.CAMERA)
    assert page.status_code == 200 and "phone.js" in page.text
