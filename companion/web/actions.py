"""Everything people can ask of the table, each address one request. JSON and plain forms are answered alike."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any

from flask import Blueprint, jsonify, redirect
from flask.typing import ResponseReturnValue

from companion.errors import Fault
from companion.preferences import PREFERENCES, write_preferences
from companion.referee.cards import BadCard, Card
from companion.referee.variants import PRESETS
from companion.table.requests import (
    ChooseSeats,
    ListCameras,
    NewGame,
    Pause,
    PlaySample,
    Request,
    ResetWatching,
    SelectCamera,
    SetMirror,
    SubmitInput,
    TryPlaces,
    UndoLast,
    parse_input,
)
from companion.web.context import PATIENCE, source, table_now, viewer_language
from companion.web.error_pages import failed, wants_page
from companion.web.form_parsing import BadBody, Body, get_choice, get_number, get_text, get_texts, read_body
from companion.web.sharing.admission import guest
from companion.web.template_helpers import say, words
from companion.web.view_models import describe_outcome, on_table

posts = Blueprint("posts", __name__)

RULES = '{"set": {"war_down": 1}}'
EXAMPLE = '{"Ana": ["9H"]}'


def ask(wanted: Request, then: str = "/") -> ResponseReturnValue:
    """Send a request and answer with what came of it; a plain form is led on to the page `then`."""
    table, before, language = source().table, table_now(), viewer_language()
    try:
        said = table.send(wanted).result(PATIENCE)
    except TookTooLong:
        return failed(503, say(table_now(), "page.error.busy"))
    said = words(language).retell(said)
    if wants_page():
        return redirect(then if then == "/" else marked(then, source().hold_sentence(said)), 303)
    if isinstance(wanted, SubmitInput | UndoLast):
        said = describe_outcome(before, table_now()) or said
    return jsonify(ok=True, said=said)


def marked(address: str, mark: str) -> str:
    """The address with the mark of a sentence that its page is to say.

    >>> marked("/sessions?player=Ana", "x"), marked("/sessions#people", "x")
    ('/sessions?player=Ana&said=x', '/sessions?said=x#people')
    """
    page, sharp, place = address.partition("#")
    return f"{page}{'&' if '?' in page else '?'}said={mark}{sharp}{place}"


@posts.post("/correct")
def correct() -> ResponseReturnValue:
    """What a look really showed; without a look, what lies on the table now."""
    body = read_body()
    look = get_number(body, "look", needed=False)
    faces = faces_of(body["faces"]) if "faces" in body else {get_text(body, "player"): corrected_codes(body)}
    if look is None:
        # A look is the whole table: beside the one card that a form names, the others lie there still.
        whole = faces if "faces" in body else on_table(table_now()) | faces
        return ask(parse_input({"faces": whole}, by(body)))
    return ask(parse_input({"correct": look, "faces": faces}, by(body)))


def corrected_codes(body: Body) -> tuple[str, ...]:
    """A player's cards after one of them was put right, from the fields of the correction form."""
    cards = list(get_texts(body, "was"))
    place = get_number(body, "place") or 0
    code = get_text(body, "card", "") or _code(get_text(body, "rank"), get_text(body, "suit", ""))
    cards[place : place + 1] = [] if code == "none" else [known(code)]
    return tuple(cards)


def _code(rank: str, suit: str) -> str:
    return "JOKER" if rank == "joker" else rank + (suit or "?")


def faces_of(faces: object) -> dict[str, tuple[str, ...]]:
    """Card codes by player, checked. Raises BadBody."""
    if not isinstance(faces, Mapping) or not faces:
        raise BadBody("faces", example=EXAMPLE)
    if not all(isinstance(cards, list) for cards in faces.values()):
        raise BadBody("faces", example=EXAMPLE)
    return {str(player): tuple(map(known, cards)) for player, cards in faces.items()}


def known(code: object) -> str:
    """A card code that exists and lies face up. Raises BadBody."""
    try:
        card = Card.parse(code) if isinstance(code, str) else None
    except BadCard:
        card = None
    if card is None or card.code == "?":
        raise BadBody("card", code=str(code)[:20])
    return str(card.code)


def by(body: Body) -> str:
    """Who asks, where it is said, else the name of the device that asks over the network."""
    device = guest()
    return get_text(body, "by", "") or (device.name if device is not None else "")


@posts.post("/undo")
def undo() -> ResponseReturnValue:
    """Take an input back; without a look the last one."""
    body = read_body()
    look = get_number(body, "look", needed=False)
    return ask(UndoLast(by(body)) if look is None else parse_input({"undo": look}, by(body)))


@posts.post("/appeal")
def appeal() -> ResponseReturnValue:
    """A player disputes a ruling."""
    body = read_body()
    return ask(parse_input({"appeal": get_number(body, "look"), "by": get_text(body, "by")}, by(body)))


@posts.post("/answer")
def answer() -> ResponseReturnValue:
    """The answer to an open question."""
    body = read_body()
    return ask(parse_input({"answer": get_number(body, "question"), "choice": get_text(body, "choice")}, by(body)))


@posts.post("/look")
def look() -> ResponseReturnValue:
    """Any line of a looks script: a look typed by hand, a steal, a top card, a reshuffle."""
    return ask(parse_input(read_body()))


@posts.post("/steal")
def steal() -> ResponseReturnValue:
    """Steal War: `by` steals the piles of those in `from` with `card`. Raises BadBody."""
    body = read_body()
    act = {"by": get_text(body, "by"), "card": known(get_text(body, "card")), "from": list(get_texts(body, "from"))}
    return ask(parse_input({"steal": act}))


@posts.post("/top")
def top() -> ResponseReturnValue:
    """Steal War: which won card the player put on top. Raises BadBody."""
    body = read_body()
    return ask(parse_input({"top": {get_text(body, "player"): known(get_text(body, "card"))}}, by(body)))


@posts.post("/reshuffle")
def reshuffle() -> ResponseReturnValue:
    """Steal War: the player has shuffled the face-up pile and plays on from it."""
    body = read_body()
    return ask(parse_input({"reshuffle": get_text(body, "player")}, by(body)))


@posts.post("/count")
def count() -> ResponseReturnValue:
    """Who has how many cards, by people's count: `{"count": {"Ana": 24}}`, or fields by player. Raises BadBody."""
    body = read_body()
    told = body.get("count")
    if not isinstance(told, Mapping):
        pairs = zip(get_texts(body, "player"), get_texts(body, "n"), strict=False)
        told = {player: get_number({"n": n}, "n") for player, n in pairs if n.strip()}
    if not told:
        raise BadBody("missing", name="count")
    return ask(parse_input({"count": told}, by(body)))


@posts.post("/missed")
def missed() -> ResponseReturnValue:
    """A round that nobody saw, after input `look`: `faces`, or a form's fields by player. Raises BadBody."""
    body = read_body()
    if "faces" in body:
        faces = faces_of(body["faces"])
    else:
        pairs = zip(get_texts(body, "player"), get_texts(body, "card"), strict=False)
        faces = {player: (known(card),) for player, card in pairs if card}
    if not faces:
        raise BadBody("faces", example=EXAMPLE)
    return ask(parse_input({"missed": get_number(body, "look"), "faces": faces}, by(body)))


@posts.post("/collected")
def collected() -> ResponseReturnValue:
    """Nothing lies on the table any more: at a table that no camera looks at a person has to say so."""
    return ask(parse_input({"faces": {}}, by(read_body())))


@posts.post("/pause")
def pause() -> ResponseReturnValue:
    """Stop or go on watching; with nothing said, the other of the two."""
    return ask(Pause(get_choice(read_body(), "on")))


@posts.post("/reset-watching")
def reset_watching() -> ResponseReturnValue:
    """Look at the table afresh."""
    return ask(ResetWatching())


@posts.post("/camera")
def camera() -> ResponseReturnValue:
    """Watch another camera; with none named, look for cameras again."""
    wanted = get_text(read_body(), "source", "")
    return ask(SelectCamera(wanted) if wanted else ListCameras())


@posts.post("/seats")
def seats() -> ResponseReturnValue:
    """Who sits where: two who are exchanged, an order that was offered, or seats by name. Raises BadBody."""
    body = read_body()
    if "swap" in body:
        two = get_texts(body, "swap")
        if len(two) != 2:
            raise BadBody("text", name="swap")
        return ask(parse_input({"swap": two}, by(body)))
    if "order" in body:
        return ask(ChooseSeats(get_texts(body, "order"), by(body)))
    # Places are drawn in the picture as it is shown.
    mirrored = {"mirrored": True} if source().table.now.camera.mirrored else {}
    return ask(parse_input({"seats": get_text(body, "seats"), **mirrored}, by(body)))


@posts.post("/try-places")
def try_places() -> ResponseReturnValue:
    """Try every place with any card; off again, the game is judged. Raises BadBody."""
    on = bool(get_choice(read_body(), "on"))
    return ask(TryPlaces(on), then="/setup" if on else "/")


@posts.post("/mirror")
def mirror() -> ResponseReturnValue:
    """Whether the camera mirrors the picture: auto, yes or no."""
    return ask(SetMirror(get_text(read_body(), "mirror")))


@posts.post("/settings")
def settings() -> ResponseReturnValue:
    """Play by other rules from the next round on. Raises BadBody for any other field."""
    body = read_body()
    strange = [name for name in body if name not in ("set", "by") and not name.startswith("set.")]
    if strange:
        raise BadBody("unknown", name=strange[0], example=RULES)
    return ask(parse_input({"set": chosen(body)}, by(body)))


@posts.post("/play-sample")
def play_sample() -> ResponseReturnValue:
    """Play the sample game once more."""
    return ask(PlaySample())


@posts.post("/new-game")
def new_game() -> ResponseReturnValue:
    """End this game and begin another, from a preset or from a variant's name."""
    body = read_body()
    preset = next((entry for entry in PRESETS if entry.name == body.get("preset")), None)
    variant = preset.variant if preset else get_text(body, "variant")
    rules = {key: str(value) for key, value in (preset.set if preset else {}).items()} | chosen(body)
    players = get_texts(body, "players" if "players" in body else "player")
    return ask(NewGame(variant, tuple(filter(None, players)), rules, get_text(body, "seats", "left-right")))


def chosen(body: Body) -> dict[str, str]:
    """The settings of a body: an object `set`, or a form's fields `set.KEY`; empty ones left out. Raises BadBody."""
    inside = body.get("set", {})
    if not isinstance(inside, Mapping):
        raise BadBody("text", name="set")
    fields = {name.removeprefix("set."): value for name, value in body.items() if name.startswith("set.")}
    return {key: _plain(value) for key, value in (*inside.items(), *fields.items()) if value != ""}


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@posts.post("/preferences")
def preferences() -> ResponseReturnValue:
    """Write those of the program's settings that are named into its file; an empty one is taken out. Raises BadBody."""
    body = read_body()
    strange = [name for name in body if name not in {one.key for one in PREFERENCES}]
    if strange:
        raise BadBody("unknown", name=strange[0], example='{"keep_pictures_days": "30"}')
    try:
        write_preferences(
            {key: None if value is None else _plain(value).strip() or None for key, value in body.items()}
        )
    except Fault as fault:
        return failed(400, str(fault))
    sentence = say(table_now(), "page.preferences.kept")
    if wants_page():
        return redirect(marked("/preferences", source().hold_sentence(sentence)), 303)
    return jsonify(ok=True, said=sentence)
