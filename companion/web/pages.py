"""The pages a person opens, and the dialogs, which are pages too and work without a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, abort, render_template, request

from companion.log import store
from companion.preferences import load_preferences, settings_file
from companion.referee.cards import RANKS_BY_NAME
from companion.referee.codec import input_from_json
from companion.referee.effects import faces_shown
from companion.referee.rulebook import RULEBOOK, Rule, rule_sources
from companion.referee.variants import VARIANTS
from companion.table.snapshot import LogLine, Snapshot
from companion.web.card_faces import face, likely
from companion.web.context import said, source, table_now
from companion.web.panels import context, earlier, lines_of, of_war
from companion.web.settings_form import preset_views, setting_views
from companion.web.template_helpers import saying, words
from companion.web.view_models import on_table, reading
from companion.words.speech import how_to_play

pages = Blueprint("pages", __name__)

#: The keys of the page at the table, each with the key of its words.
KEYS = (
    ("U", "page.undo"),
    ("P", "page.pause"),
    ("Shift+A", "page.appeal"),
    ("N", "page.new_game"),
    ("C", "page.count.now"),
    ("R", "page.replay.open"),
    ("?", "page.keys.title"),
)


@pages.get("/")
def control() -> str:
    """The page at the table."""
    return _live("control")


@pages.get("/setup")
def setup() -> str:
    """Getting ready: camera, picture, places, dealing; a green tick at the end."""
    return _live("setup")


@pages.get("/screen")
def screen() -> str:
    """The big view, for reading across the room."""
    return _live("screen")


@pages.get("/log")
def rounds() -> str:
    """The rounds of this game, all or some kinds."""
    return _live("log", request.args.get("only", "all"))


def _live(name: str, only: str = "all") -> str:
    now = table_now()
    shown = context(now, only, name) | {"earlier": earlier(source().log, now.session)}
    return render_template(f"{name}.html", events=f"/events?page={name}&only={shown['only']}", **shown)


def _dialog(template: str, now: Snapshot, **values: Any) -> str:
    return render_template(template, **(context(now, name="dialog") | values))


@pages.get("/correct")
def correct() -> str:
    """What did the player really lay? Without a player: which card of the look is wrong?"""
    now = table_now()
    look, player = request.args.get("look", type=int), request.args.get("player")
    shown = _faces_at(source().log, now, look) if look else on_table(now)
    faces = {name: shown.get(name, ()) for name in now.players}
    if player is None:
        return _dialog("correct.html", now, look=look, faces=faces, player=None, crops=_crops(now, look))
    if player not in now.players:
        abort(404)
    # No place, or one past the last card: a card that was missed.
    place = min(request.args.get("place", len(faces[player]), type=int), len(faces[player]))
    asked = {"look": look, "player": player, "faces": faces, "ranks": RANKS_BY_NAME}
    return _dialog("correct.html", now, **asked, **_one(now, look, player, place, faces[player]))


def _faces_at(path: Path | None, now: Snapshot, look: int) -> dict[str, tuple[str, ...]]:
    """The card codes by player of input `look`, corrections included; empty for an input that is no look.

    The log knows best. A game that is not kept is shown by what its log lines and the table say.
    """
    if path is not None and now.session is not None:
        history = [input_from_json(entry) for entry in store.load_inputs(path, now.session)]
        return {player: tuple(face.card.code for face in laid) for player, laid in faces_shown(history, look).items()}
    there = {player: _codes_at(now, player, look) for player in now.players}
    if any(there.values()):
        return there
    return next((dict(line.faces) for line in now.log if line.look == look and line.faces), {})


def _codes_at(now: Snapshot, player: str, look: int) -> tuple[str, ...]:
    cards = [card for card in now.cards if card.player == player and card.look == look]
    return tuple(card.code for card in sorted(cards, key=lambda card: card.place))


def _one(now: Snapshot, look: int | None, player: str, place: int, known: tuple[str, ...]) -> dict[str, Any]:
    """The card to put right: its code, crop, and what it may be; no code where one was missed."""
    card = reading(now, player, look, place)
    code = known[place] if 0 <= place < len(known) else None
    offered = likely(code, card.alternatives if card else ()) if code else ()
    crop = card.crop if card else _crops(now, look).get((player, place))
    before = {"said": card.said, "was": card.was} if card else {"said": False, "was": ""}
    return {"place": place, "code": code, "crop": crop if code else None, "likely": offered, **before}


def _crops(now: Snapshot, look: int | None) -> dict[tuple[str, int], int]:
    """The stored crops of the cards of a look, by player and place."""
    lying = {(card.player, card.place): card.crop for card in now.cards if card.look == look and card.crop is not None}
    path = source().log
    if path is None or now.session is None or look is None:
        return lying
    names = [
        (name, n) for (at, name), n in store.list_evidence(path, now.session).items() if at == look and name != "table"
    ]
    return {(name.rpartition(" ")[0], int(name.rpartition(" ")[2])): n for name, n in names} | lying


@pages.get("/appeal")
def appeal() -> str:
    """The pictures, the rule and the other ways to play, for one ruling that is disputed."""
    now = table_now()
    lines = lines_of(now, request.args.get("look", 0, type=int))
    # An appeal against an appeal is one against the ruling itself.
    if lines and lines[-1].disputes:
        lines = lines_of(now, lines[-1].disputes)
    if not lines:
        abort(404)
    look = lines[-1].look
    standing = next((line.look for line in now.log[:1] if line.disputes == look), None)
    found = {"pictures": _frames(now, look), "rule": _rule(now, lines), "standing": standing}
    return _dialog("appeal.html", now, look=look, line=lines[-1], **found)


@pages.get("/undoing")
def undoing() -> str:
    """What taking back an input, or an undo, brings with it: asked before where more than one round is judged anew."""
    now = table_now()
    look = request.args.get("look", 0, type=int)
    back = [line for line in now.undone if line.undone == look]
    lines = back or [line for line in now.log if line.look == look]
    if not lines:
        abort(404)
    declared = any(line.ruling == "war_declared" for line in lines)
    says = "back" if back else "declared" if declared else "decided" if any(map(of_war, lines)) else "plain"
    return _dialog("undo.html", now, look=look, line=lines[0], says=says, back=bool(back))


def _frames(now: Snapshot, look: int) -> list[tuple[int, str]]:
    """The looks with a picture just before, at and just after `look`."""
    stored = sorted({line.look for line in now.log if line.evidence})
    before, after = [n for n in stored if n < look][-1:], [n for n in stored if n > look][:1]
    at = [n for n in stored if n == look]
    return [(n, label) for label, found in (("before", before), ("at", at), ("after", after)) for n in found]


def _rule(now: Snapshot, lines: tuple[LogLine, ...]) -> dict[str, Any] | None:
    """The rule behind the last of these rulings, in words."""
    named = [line for line in lines if line.rule in tuple(Rule)]
    if not named:
        return None
    rule, in_force, spoken = Rule(named[-1].rule), named[-1].in_force, words(now.language)
    here = "; ".join(spoken.house(text) for text in in_force)
    return {
        "says": spoken.rule(rule, in_force),
        "quotes": spoken.quotes(rule_sources(rule, in_force)),
        "ways": spoken.ways(rule),
        "setting": RULEBOOK[rule].setting,
        "here": here,
    }


@pages.get("/rules")
@pages.get("/rules/<name>")
def rules(name: str = "") -> str:
    """How a game is played, from dealing to the end; the game at the table, where none is named."""
    now = table_now()
    name = name or now.variant or VARIANTS[0].name
    entry = next((one for one in VARIANTS if one.name == name), None)
    if entry is None:
        abort(404)
    spoken, (low, high) = words(now.language), entry.players
    return render_template(
        "rules.html",
        **saying(now.language),
        name="rules",
        title=spoken.say(f"variant.{name}"),
        variant=name,
        variants=[one.name for one in VARIANTS],
        sections=tuple(how_to_play(spoken, name)),
        quotes=spoken.quotes(entry.sources),
        low=low,
        high=high,
    )


@pages.get("/pile")
def pile() -> str:
    """A player's face-up pile: who steals it, which card lies on top, whether it was shuffled."""
    now, player = table_now(), request.args.get("player", "")
    if player not in now.pile_tops:
        abort(404)
    top = now.pile_tops[player]
    # One card may steal every pile that shows its rank (E24).
    alike = [name for name, code in now.pile_tops.items() if top and code and face(code).rank == face(top).rank != "?"]
    also = {thief: [name for name in alike if thief in now.thieves.get(name, ())] for thief in now.players}
    return _dialog("pile.html", now, player=player, top=top, also=also, ranks=RANKS_BY_NAME)


@pages.get("/counting")
def counting() -> str:
    """How many cards everybody has, counted by hand."""
    return _dialog("count.html", table_now())


@pages.get("/missed")
def missed() -> str:
    """A round that nobody saw, to be entered after the round of `?look=N`; without it, before the first."""
    now, look = table_now(), request.args.get("look", 0, type=int)
    after = next((line.round for line in now.log if line.look == look and line.round), 0)
    return _dialog("missed.html", now, look=look, after=after, ranks=RANKS_BY_NAME)


@pages.get("/keys")
def keys() -> str:
    """The keys of the page at the table."""
    return _dialog("keys.html", table_now(), keys=KEYS)


@pages.get("/new-game")
def new_game() -> str:
    """Who plays, and what."""
    now = table_now()
    presets = preset_views(now)
    chosen = next((entry.name for entry in presets if entry.variant == now.variant), presets[0].name)
    return _dialog("new_game.html", now, presets=presets, chosen=chosen, settings=setting_views(now, blank=True))


@pages.get("/settings")
def settings() -> str:
    """The house rules, to be played differently from now on."""
    now = table_now()
    shown, about = setting_views(now, blank=False), request.args.get("about", "")
    disputed = tuple(one for one in shown if one.key == about)
    others = tuple(one for one in shown if one.key != about)
    return _dialog("settings.html", now, settings=others, disputed=disputed)


@pages.get("/preferences")
def preferences() -> str:
    """The program's settings as a form, each with where it comes from."""
    now = table_now()
    shown = {"chosen": load_preferences().values(), "path": settings_file(), "said": said()}
    return render_template("preferences.html", **(context(now, name="preferences") | shown))
