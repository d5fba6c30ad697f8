"""The program's settings on the page: each with its value and where it comes from."""

from __future__ import annotations

from flask import Blueprint, jsonify, redirect, render_template
from flask.typing import ResponseReturnValue

from companion.errors import Fault
from companion.preferences import PREFERENCES, load_preferences, settings_file, write_preference
from companion.web.actions import marked
from companion.web.context import source, table_now
from companion.web.error_pages import failed, wants_page
from companion.web.form_parsing import BadBody, get_text, read_body
from companion.web.games import said
from companion.web.panels import context
from companion.web.template_helpers import say

preference_pages = Blueprint("preferences", __name__)

EXAMPLE = '{"keep_pictures_days": "30"}'


@preference_pages.get("/preferences")
def show() -> str:
    """All settings as a form."""
    now = table_now()
    shown = {"chosen": load_preferences().values(), "path": settings_file(), "said": said()}
    return render_template("preferences.html", **(context(now, name="preferences") | shown))


@preference_pages.post("/preferences")
def keep() -> ResponseReturnValue:
    """Write the settings that are named, into the file; an empty one is taken out. Raises BadBody."""
    body = read_body()
    strange = [name for name in body if name not in {one.key for one in PREFERENCES}]
    if strange:
        raise BadBody("unknown", name=strange[0], example=EXAMPLE)
    wanted = {key: get_text({key: str(value)}, key) for key, value in body.items()}
    try:
        for key, value in wanted.items():
            write_preference(key, value or None)
    except Fault as fault:
        return failed(400, str(fault))
    sentence = say(table_now(), "page.preferences.kept")
    if wants_page():
        return redirect(marked("/preferences", source().hold_sentence(sentence)), 303)
    return jsonify(ok=True, said=sentence)
