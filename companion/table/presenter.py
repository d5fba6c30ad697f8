"""A moment of the table as page and terminal show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from companion.referee import view as referee_view
from companion.referee.codec import ruling_name, ruling_to_json
from companion.referee.events import Notice, NoticeKind, Ruled, Violation
from companion.referee.game import Game
from companion.referee.reducer import State
from companion.referee.undo import redoable, undoable
from companion.referee.variants import Size, settings_for
from companion.referee.view import GamePhase, View
from companion.referee.wars import named
from companion.seats.arrangement import Arrangement, sides
from companion.seats.history import in_force
from companion.seats.layout import Point, exchanged, parse
from companion.table.card_views import cards_in_play
from companion.table.log_presenter import LogLines
from companion.table.session import Moment, Sitting, Watching
from companion.table.session import Phase as EyesPhase
from companion.table.snapshot import Chip, LogLine, QuestionView, SeatsView, SeatView, Snapshot, WarView
from companion.words import Words

#: The house rules that families quarrel about, always named; others only where they were changed.
ALWAYS = ("short", "collect", "end")
#: Which ruling of one input is the sentence in large type, the first of these kinds that is there.
LOUDEST = ("game_over", "question", "violation", "battle_won", "battle_drawn", "war_declared", "steal", "blind")
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
EYES = {EyesPhase.LOST: Chip.CAMERA_LOST, EyesPhase.HAND: Chip.HAND, EyesPhase.SETTLING: Chip.SETTLING}
#: What a game waits for on people; a hand over the table changes nothing about it.
PRESSING = (GamePhase.QUESTION, GamePhase.HELD, GamePhase.OVER)


class Presenter:
    """Makes snapshots in one language. It keeps the log's lines, so that each is worded only once."""

    def __init__(self, words: Words) -> None:
        """Speak with `words`."""
        self.words = words
        self._lines = LogLines(words)

    def __call__(self, moment: Moment) -> Snapshot:
        """The snapshot of a moment."""
        if moment.sitting is None:
            return self._empty(moment)
        return self._shown(moment, moment.sitting)

    def _empty(self, moment: Moment) -> Snapshot:
        chip = EYES.get(moment.watching.phase, Chip.WAITING_FOR_CARDS)
        return Snapshot(
            version=moment.version,
            session=None,
            variant="",
            players=(),
            settings={},
            house_rules=(),
            chip=chip,
            chip_text=self.words.say(f"chip.{chip}"),
            verdict=moment.watching.trouble,
            reason="",
            round=0,
            counts={},
            change={},
            on_table=0,
            total=0,
            proof="",
            wars_won={},
            **self._around(moment.watching),
        )

    def _shown(self, moment: Moment, sitting: Sitting) -> Snapshot:
        here, watching = referee_view.view(sitting.state), moment.watching
        game = sitting.state.position.agreed or sitting.state.position.game
        seats = self._seats(sitting, watching)
        chip, log = _chip(here, watching, bool(sitting.state.ruled)), self._lines.of(sitting)
        verdict, reason = self._verdict(sitting.state, here)
        if seats.finding and not sitting.state.ruled:
            chip = Chip.QUESTION if seats.choices else chip
            verdict, reason = self.words.say("state.who_sits" if seats.choices else "state.finding_seats"), ""
        waiting = here.waiting if here.faces else ()
        return Snapshot(
            version=moment.version,
            session=sitting.session if sitting.kept else None,
            variant=game.variant.name,
            players=game.players,
            settings=_settings(game),
            house_rules=self.house_rules(game),
            chip=chip,
            chip_text=self.words.say(f"chip.{chip}", who=waiting),
            verdict=watching.trouble or verdict,
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
            cards=cards_in_play(sitting, watching.cards),
            war=self._war(here),
            question=self._question(here),
            violation=self._remark(sitting.state, here),
            held=here.held is not None,
            hint=self._hint(watching),
            waiting=waiting,
            out=here.out,
            winner=here.over.winner if here.over else "",
            log=log,
            undone=self._lines.undone(sitting),
            undo=undoable(sitting.state),
            redo=redoable(sitting.state),
            seats=seats,
            **self._around(watching),
        )

    def house_rules(self, game: Game) -> tuple[str, ...]:
        """The house rules in force as phrases: those of the wars, those that families quarrel about, those changed."""
        keys = ["double_tie", *ALWAYS]
        if game.variant.size is not Size.RANK:
            keys.insert(0, str(game.variant.size))
        if len(game.players) > 2:
            keys.insert(0, "war_part")
        keys += game.settings.changed(settings_for(game.variant.name, {}))
        return tuple(self.words.house(text) for text in named(game.settings, dict.fromkeys(keys)))

    def _seats(self, sitting: Sitting, watching: Watching) -> SeatsView:
        """Who sits where, for a table that is watched."""
        if not watching.camera.source:
            return SeatsView()
        now = in_force(sitting.state, sitting.seats)
        middles = exchanged(parse(now.text, sitting.game.players), dict(now.names)).middles
        if middles:
            placed = self._sides(middles)
            return SeatsView(tuple(SeatView(name, placed[name], *middles[name]) for name in sitting.game.players))
        unclear = watching.unclear
        orders = unclear.orders if unclear else ()
        return SeatsView((), True, tuple((order, self._order(order, unclear)) for order in orders if unclear))

    def _sides(self, middles: Mapping[str, Point]) -> dict[str, str]:
        return {player: self.words.say(f"side.{side}") for player, side in sides(middles).items()}

    def _order(self, order: tuple[str, ...], unclear: Arrangement) -> str:
        placed = self._sides(dict(zip(order, unclear.points, strict=True)))
        return ", ".join(self.words.say("side.sits", player=player, side=side) for player, side in placed.items())

    def _around(self, watching: Watching) -> dict[str, Any]:
        return {
            "camera": watching.camera,
            "packs": watching.packs,
            "demo": watching.demo,
            "banner": self.words.say("state.demo") if watching.demo else "",
            "paused": watching.paused,
            "language": self.words.language,
        }

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

    def _war(self, here: View) -> WarView | None:
        war = here.war
        if war is None:
            return None
        seen = {player: min(war.seen.get(player, 0), war.down.get(player, 0)) for player in war.who}
        key = "state.down_and_nth" if war.by_rank else "state.down_and_up"
        total = self.words.say(key, rank=war.rank, n=war.size, nth=war.size + 1)
        return WarView(war.rank, war.who, dict(war.down), seen, war.short, total)

    def _question(self, here: View) -> QuestionView | None:
        if not here.questions:
            return None
        seq, question = here.questions[-1]
        text = self.words.ruling(ruling_to_json(Ruled(seq, 0, 0.0, ruling=question)))
        return QuestionView(seq, text, question.about, question.choices)

    def _hint(self, watching: Watching) -> str:
        """What would help to read the first card that cannot be read, unless a hand is in the way anyway."""
        spoilt = next((card for card in watching.cards if card.spoilt), None)
        if spoilt is None or watching.phase is EyesPhase.HAND:
            return ""
        return self.words.say(f"hint.{spoilt.spoilt}", player=spoilt.player, n=spoilt.height)

    def _remark(self, state: State, here: View) -> str:
        """What holds the game, else what the newest input had to say beside its verdict."""
        if here.held:
            return self.words.ruling(ruling_to_json(Ruled(0, 0, 0.0, ruling=here.held)))
        said = (ruled for ruled in state.ruled if isinstance(ruled.ruling, Violation | Notice))
        beside = [ruled for ruled in said if ruling_to_json(ruled).get("kind") != NoticeKind.AGREED]
        return self.words.ruling(ruling_to_json(beside[-1])) if beside else ""


def _chip(here: View, watching: Watching, fresh: bool) -> Chip:
    """The state of the game, unless the eyes have something more pressing to say."""
    if here.phase is GamePhase.OVER:
        return Chip.GAME_OVER
    if watching.phase is EyesPhase.LOST or watching.paused:
        return Chip.CAMERA_LOST if watching.phase is EyesPhase.LOST else Chip.PAUSED
    # A verdict is fresh in the look that brought it; where cards of it lie on, they wait to be collected.
    game = Chip.COLLECT if here.phase is GamePhase.VERDICT and not fresh else CHIPS[here.phase]
    return game if here.phase in PRESSING else EYES.get(watching.phase, game)


def _loudest(state: State) -> Ruled | None:
    """Most important ruling (order LOUDEST) of the latest input that has one."""
    for past in state.history():
        kinds = {ruling_name(ruled.ruling): ruled for ruled in past.ruled if not _aside(ruled)}
        loudest = next((kinds[kind] for kind in LOUDEST if kind in kinds), None)
        if loudest is not None:
            return loudest
    return None


def _aside(ruled: Ruled) -> bool:
    """Said beside the verdict, which stays in large type."""
    return isinstance(ruled.ruling, Violation) and not ruled.ruling.holds


def _last_moved(log: tuple[LogLine, ...]) -> Mapping[str, int]:
    return next((line.moved for line in log if line.moved), {})


def _settings(game: Game) -> dict[str, object]:
    values = {part.name: getattr(game.settings, part.name) for part in fields(game.settings)}
    return {key: str(value) if isinstance(value, str) else value for key, value in values.items()}
