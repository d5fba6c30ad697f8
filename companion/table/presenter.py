"""Makes the snapshot: the table as page and terminal show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from math import ceil
from typing import Any

from companion.referee import view as referee_view
from companion.referee.codec import ruling_name, ruling_to_json
from companion.referee.events import Blinded, Notice, NoticeKind, Ruled, Violation
from companion.referee.game import Game
from companion.referee.position import Placed
from companion.referee.reducer import State, redoable, undoable
from companion.referee.settings import End
from companion.referee.variants import Size, matters, settings_for
from companion.referee.view import GamePhase, View
from companion.referee.wars import house_rule_words
from companion.seats.arrangement import Arrangement, sides
from companion.seats.history import name_at, seats_in_force
from companion.seats.layout import Point, Polygon, Zone, exchange_names, parse_seats, zones_of
from companion.table.log_presenter import LogLines
from companion.table.session import LiveSession, Phase, WatchStatus
from companion.table.snapshot import (
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
    certainty,
)
from companion.words import Words

#: The house rules that families quarrel about, always named; others only where they were changed.
ALWAYS = ("short", "collect", "end")
#: Which ruling of one input is the sentence in large type, the first of these kinds that is there.
LOUDEST = ("game_over", "question", "violation", "battle_won", "battle_drawn", "war_declared", "steal")
#: The chip of each thing the referee waits for.
CHIPS = {
    GamePhase.CARDS: Chip.WAITING_FOR_CARDS,
    GamePhase.PLAYERS: Chip.WAITING_FOR_PLAYERS,
    GamePhase.WAR: Chip.WAR,
    GamePhase.QUESTION: Chip.QUESTION,
    GamePhase.HELD: Chip.DIFFERS,
    GamePhase.BLIND: Chip.WAITING_FOR_CARDS,
    GamePhase.VERDICT: Chip.VERDICT,
    GamePhase.OVER: Chip.GAME_OVER,
}
PHASE_CHIPS = {Phase.LOST: Chip.CAMERA_LOST, Phase.HAND: Chip.HAND, Phase.SETTLING: Chip.SETTLING}
#: What a game waits for on people; a hand over the table changes nothing about it.
PRESSING = (GamePhase.QUESTION, GamePhase.HELD, GamePhase.OVER)


class Presenter:
    """Makes snapshots in one language. It keeps the log's lines, so that each is worded only once."""

    def __init__(self, words: Words) -> None:
        """Speak with `words`."""
        self.words = words
        self._lines = LogLines(words)

    def __call__(self, version: int, session: LiveSession | None, status: WatchStatus) -> Snapshot:
        """The snapshot of the session at the table, if any; `version` counts the changes."""
        return self._empty(version, status) if session is None else self._shown(version, session, status)

    def _empty(self, version: int, status: WatchStatus) -> Snapshot:
        chip = PHASE_CHIPS.get(status.phase, Chip.WAITING_FOR_CARDS)
        return Snapshot(
            version=version,
            session=None,
            variant="",
            players=(),
            settings={},
            house_rules=(),
            chip=chip,
            chip_text=self.words.say(f"chip.{chip}"),
            verdict=self.words.retell(status.trouble),
            reason="",
            round=0,
            counts={},
            change={},
            on_table=0,
            total=0,
            proof="",
            wars_won={},
            **self._around(status),
        )

    def _shown(self, version: int, session: LiveSession, status: WatchStatus) -> Snapshot:
        here = referee_view.view(session.state)
        game = session.state.position.agreed or session.state.position.game
        seats = self._seats(session, status)
        chip, log = _chip(here, status, bool(session.state.ruled)), self._lines.of(session)
        verdict, reason = self._verdict(session.state, here)
        if status.trouble or (status.paused and not session.state.ruled):
            # What stands instead of a verdict has no rule behind it.
            verdict, reason = self.words.retell(status.trouble) or self.words.say("state.paused"), ""
        if seats.finding and not session.state.ruled:
            chip = Chip.QUESTION if seats.choices else chip
            verdict, reason = self.words.say("state.who_sits" if seats.choices else "state.finding_seats"), ""
        waiting = here.waiting if here.faces else ()
        return Snapshot(
            version=version,
            session=session.id if session.kept else None,
            variant=game.variant.name,
            players=game.players,
            settings=_settings(game),
            house_rules=self.house_rules(game),
            chip=chip,
            chip_text=self.words.say(f"chip.{chip}", who=waiting),
            verdict=verdict,
            reason=reason,
            round=here.round,
            counts=dict(here.counts),
            change=_last_moved(log),
            on_table=here.on_table,
            total=here.total,
            proof=self._proof(here, game.players),
            wars_won=dict(here.wars_won),
            split=here.split,
            pile_tops={player: card.code if card else None for player, card in here.tops.items()},
            thieves={player: who for player, who in here.thieves.items() if who},
            untold={player: tuple(card.code for card in cards) for player, cards in here.untold.items() if cards},
            cards=cards_in_play(session, status.cards),
            war=self._war(here, session.state),
            question=self._question(here),
            violation=self._remark(session.state, here),
            held=here.held is not None,
            differs=here.held.player if here.held else "",
            hint=self._hint(status),
            waiting=waiting,
            out=here.out,
            winner=here.over.winner if here.over else "",
            time_left=_time_left(session.state, status.at),
            log=log,
            undone=self._lines.undone(session),
            undo=undoable(session.state),
            redo=redoable(session.state),
            seats=seats,
            **self._around(status),
        )

    def house_rules(self, game: Game) -> tuple[str, ...]:
        """The house rules in force as phrases: those of the wars, those that families quarrel about, those changed."""
        keys = ["double_tie", *ALWAYS]
        if game.variant.size is not Size.RANK:
            keys.insert(0, str(game.variant.size))
        if len(game.players) > 2:
            keys.insert(0, "war_part")
        keys += game.settings.changed(settings_for(game.variant.name, {}))
        told = dict.fromkeys(key for key in keys if matters(key, game.variant))
        return tuple(self.words.house(text) for text in house_rule_words(game.settings, told))

    def _seats(self, session: LiveSession, status: WatchStatus) -> SeatsView:
        """Who sits where, for a table that is watched."""
        if not status.camera.source:
            return SeatsView()
        now = seats_in_force(session.state, session.seats)
        middles = exchange_names(parse_seats(now.text, session.game.players), dict(now.names)).middles
        if middles:
            placed = self._sides(middles)
            outlines = _outlines(now.text, dict(now.names), session.game.players, middles)
            return SeatsView(
                tuple(SeatView(name, placed[name], *middles[name], *outlines[name]) for name in session.game.players)
            )
        unclear = status.unclear
        orders = unclear.orders if unclear else ()
        return SeatsView((), True, tuple((order, self._order(order, unclear)) for order in orders if unclear))

    def _sides(self, middles: Mapping[str, Point]) -> dict[str, str]:
        return {player: self.words.say(f"side.{side}") for player, side in sides(middles).items()}

    def _order(self, order: tuple[str, ...], unclear: Arrangement) -> str:
        placed = self._sides(dict(zip(order, unclear.points, strict=True)))
        return ", ".join(self.words.say("side.sits", player=player, side=side) for player, side in placed.items())

    def _around(self, status: WatchStatus) -> dict[str, Any]:
        return {
            "camera": retell_view(self.words, status.camera),
            "packs": retell_view(self.words, status.packs),
            "demo": status.demo,
            "banner": self.words.say("state.demo" if status.demo else "state.trying")
            if status.demo or status.trying
            else "",
            "trying": TryingView(status.trying, dict(status.tried), tuple(map(self._meter, status.meters))),
            "paused": status.paused,
            "finished": status.finished,
            "language": self.words.language,
        }

    def _meter(self, measure: tuple[str, str, int]) -> MeterView:
        name, state, n = measure
        return MeterView(name, state == "well", self.words.say(f"meter.{name}.{state}", n=n))

    def _verdict(self, state: State, here: View) -> tuple[str, str]:
        """The sentence in large type and the line below it."""
        if here.phase is GamePhase.PLAYERS:
            faces = {player: [placed.card.code for placed in laid] for player, laid in here.faces.items()}
            return self.words.ruling({"ruling": "shown", "faces": faces, "waiting": here.waiting}), ""
        loudest = _loudest(state)
        if loudest is None:
            return self.words.say("state.start"), ""
        record = ruling_to_json(loudest)
        return self.words.ruling(record), self.words.reason(record)

    def _proof(self, here: View, players: tuple[str, ...]) -> str:
        counts = " + ".join(str(here.counts[player]) for player in players)
        key = "state.proof_table" if here.on_table else "state.proof"
        return self.words.say(key, counts=counts, table=here.on_table, total=here.total)

    def _war(self, here: View, state: State) -> WarView | None:
        war = here.war
        if war is None:
            return None
        backs = _seen_backs(state)
        seen = {player: min(backs.get(player, 0), war.down.get(player, 0)) for player in war.who}
        key = "state.down_and_nth" if war.by_rank else "state.down_and_up"
        total = self.words.say(key, rank=war.rank, n=war.size, nth=war.size + 1)
        return WarView(war.rank, war.who, dict(war.down), seen, war.short, total)

    def _question(self, here: View) -> QuestionView | None:
        if not here.questions:
            return None
        seq, question = here.questions[-1]
        text = self.words.ruling(ruling_to_json(Ruled(seq, 0, 0.0, ruling=question)))
        return QuestionView(seq, text, question.about, question.choices)

    def _hint(self, status: WatchStatus) -> str:
        """What would help to read the first card that cannot be read, unless a hand is in the way anyway."""
        spoilt = next((card for card in status.cards if card.spoilt), None)
        if status.obstacle and (spoilt is None or status.phase is not Phase.SETTLED):
            return self.words.say(f"obstacle.{status.obstacle}")
        if spoilt is None or status.phase is Phase.HAND:
            return ""
        return self.words.say(f"hint.{spoilt.spoilt}", player=spoilt.player, n=spoilt.height)

    def _remark(self, state: State, here: View) -> str:
        """What holds the game, else what the newest input had to say beside its verdict."""
        if here.held:
            return self.words.ruling(ruling_to_json(Ruled(0, 0, 0.0, ruling=here.held)))
        said = (ruled for ruled in state.ruled if isinstance(ruled.ruling, Violation | Notice | Blinded))
        beside = [ruled for ruled in said if ruling_to_json(ruled).get("kind") != NoticeKind.AGREED]
        return self.words.ruling(ruling_to_json(beside[-1])) if beside else ""


#: Fields of views that hold sentences.
SENTENCES = ("message", "said", "says", "learned", "lacking", "trouble", "busy", "detail")


def retell_view(words: Words, view: Any) -> Any:
    """A view with its sentences in this language."""
    if not is_dataclass(view):
        return tuple(retell_view(words, one) for one in view) if isinstance(view, tuple) else view
    found = {part.name: getattr(view, part.name) for part in fields(view)}
    said = {name: words.retell(text) for name, text in found.items() if name in SENTENCES and isinstance(text, str)}
    inner = {name: retell_view(words, one) for name, one in found.items() if name in ("enrolling", "choices")}
    return replace(view, **said, **inner)  # type: ignore[type-var]


def _time_left(state: State, at: float) -> int | None:
    """Whole seconds until the agreed time is over at second `at` of the session; None where no clock ends the game."""
    here = state.position
    rules = here.game.settings
    if rules.end is not End.TIME or here.over is not None:
        return None
    return max(0, ceil(60 * rules.end_minutes - (at - here.since[0])))


def _seen_backs(state: State) -> dict[str, int]:
    """Most cards face down seen at once since the war was declared, without those that lay there before."""
    now = state.position.round
    since: dict[str, int] = {}
    before: dict[str, int] = {}
    for past in state.history():
        then = past.position.round
        if then.number != now.number:
            break
        most = since if len(then.wars) == len(now.wars) else before
        for player, backs in then.seen_backs.items():
            most[player] = max(most.get(player, 0), backs)
    return {player: max(0, backs - before.get(player, 0)) for player, backs in since.items()}


def _chip(here: View, status: WatchStatus, fresh: bool) -> Chip:
    """The state of the game, unless the watching has something more urgent to say."""
    if here.phase is GamePhase.OVER:
        return Chip.GAME_OVER
    if status.phase is Phase.LOST or status.paused or status.trying:
        return Chip.CAMERA_LOST if status.phase is Phase.LOST else Chip.PAUSED
    # A verdict is fresh in the look that brought it; where cards of it lie on, they wait to be collected.
    game = Chip.COLLECT if here.phase is GamePhase.VERDICT and not fresh else CHIPS[here.phase]
    return game if here.phase in PRESSING else PHASE_CHIPS.get(status.phase, game)


def _loudest(state: State) -> Ruled | None:
    """Most important ruling (order LOUDEST) of the latest input that has one."""
    for past in state.history():
        kinds = {ruling_name(ruled.ruling): ruled for ruled in past.ruled if not _is_aside(ruled)}
        loudest = next((kinds[kind] for kind in LOUDEST if kind in kinds), None)
        if loudest is not None:
            return loudest
    return None


def _is_aside(ruled: Ruled) -> bool:
    """Whether it is said beside the verdict, which stays in large type until the next card is turned."""
    return isinstance(ruled.ruling, Blinded) or (isinstance(ruled.ruling, Violation) and not ruled.ruling.holds)


def _last_moved(log: tuple[LogLine, ...]) -> Mapping[str, int]:
    return next((line.moved for line in log if line.moved), {})


def _settings(game: Game) -> dict[str, object]:
    values = {part.name: getattr(game.settings, part.name) for part in fields(game.settings)}
    return {key: str(value) if isinstance(value, str) else value for key, value in values.items()}


#: Half the sides of the place that is drawn around a middle, in fractions of the picture.
_PLACE = 0.18


def _outlines(
    text: str, names: Mapping[str, str], players: tuple[str, ...], middles: Mapping[str, Point]
) -> dict[str, tuple[Polygon, Polygon]]:
    """Each player's place to play in and for the pile: as drawn or found, else a square around the middle."""
    found: dict[tuple[str, Zone], Polygon] = {}
    if "=" in text:
        drawn = zones_of(text, players)
        found = {(names.get(place.player, place.player), place.zone): polygon for place, polygon in drawn}
    around = {player: _square(*middles[player]) for player in players}
    return {p: (found.get((p, Zone.PLAY), around[p]), found.get((p, Zone.PILE), ())) for p in players}


def _square(x: float, y: float) -> Polygon:
    left, right, top, bottom = max(0.0, x - _PLACE), min(1.0, x + _PLACE), max(0.0, y - _PLACE), min(1.0, y + _PLACE)
    return ((left, top), (right, top), (right, bottom), (left, bottom))


# --- the cards of the round --------------------------------------------------------------------------


def cards_in_play(session: LiveSession, seen: tuple[CardView, ...]) -> tuple[CardView, ...]:
    """The faces of the round in the order laid, then faces that are seen but not in play (early, too many)."""
    left = list(seen)
    shown = []
    for player, laid in session.state.position.round.laid.items():
        for placed in laid.faces:
            there = next((card for card in left if card.player == player and _shows(placed, card.code)), None)
            if there is not None:
                left.remove(there)
            shown.append(_in_play(session, player, placed, there))
    extra = [replace(card, certainty=certainty(card.p)) for card in left if card.code]
    return (*shown, *extra)


def _shows(placed: Placed, code: str) -> bool:
    return code in (placed.card.code, placed.face.card.code, placed.face.misread and placed.face.misread.code)


def _in_play(session: LiveSession, player: str, placed: Placed, there: CardView | None) -> CardView:
    face = placed.face
    p = sum(chance for card, chance in ((face.card, face.p), *face.alternatives) if card.rank is placed.card.rank)
    return CardView(
        player=player,
        code=placed.card.code,
        p=round(min(1.0, p), 3),
        certainty="sure" if face.said or not placed.options else certainty(p),
        alternatives=tuple((card.code, chance) for card, chance in face.alternatives),
        crop=session.pictures.get((placed.look, f"{name_at(session.state, player, placed.look)} {placed.slot}")),
        polygon=there.polygon if there else (),
        look=placed.look,
        place=placed.slot,
        said=face.said,
        was=face.misread.code if face.said and face.misread and face.misread.code != placed.card.code else "",
    )
