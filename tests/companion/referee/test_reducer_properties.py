"""What must hold in every variant, with all settings and any number of players."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import structs

from companion.referee import reducer
from companion.referee.cards import CARDS
from companion.referee.codec import (
    game_from_json,
    game_to_json,
    input_from_json,
    input_to_json,
    ruling_from_json,
    ruling_to_json,
)
from companion.referee.events import (
    BattleDrawn,
    BattleWon,
    Correct,
    Face,
    GameOver,
    Notice,
    PlayerOut,
    Question,
    Ruled,
    Seen,
    Shown,
    Undo,
    Violation,
    WarDeclared,
)
from companion.referee.game import Game
from companion.referee.position import Position
from companion.simulation import simulate
from companion.simulation.dealer import Tabletop
from tests.companion.tables import Honest, games, honest, nonsense, order_of, piecemeal

#: A whole game takes minutes to shrink, for every property that fails. The failure says how it is found again;
#: with EXAMPLES=15 or more it is shrunk as well.
PHASES = tuple(Phase) if "EXAMPLES" in os.environ else (Phase.explicit, Phase.reuse, Phase.generate)

calm = settings(deadline=None, phases=PHASES, print_blob=True, suppress_health_check=list(HealthCheck))
quick = settings(calm, max_examples=int(os.environ.get("EXAMPLES", "15")))


def outcome(ruled: tuple[Ruled, ...], *leave: type) -> list[object]:
    """What was ruled, wherever it stands in the history."""
    return [_unplaced(one.ruling) for one in ruled if not isinstance(one.ruling, leave)]


def _unplaced(ruling: object) -> object:
    """A question without the number of the look that it is about: taking out an input moves the later ones up."""
    return structs.replace(ruling, face=None) if isinstance(ruling, Question) else ruling


def on_table(pos: Position) -> int:
    """Cards that lie in the middle and belong to nobody yet."""
    taken = pos.round.verdict is not None and not (pos.over and isinstance(pos.round.verdict, BattleDrawn))
    if isinstance(pos.round.verdict, BattleDrawn) and not pos.over:
        return 0
    return 0 if taken else pos.round.pot


def check_conserved(state: reducer.State) -> None:
    pos = state.position
    assert min(pos.counts.values()) >= 0
    assert sum(pos.counts.values()) + on_table(pos) == state.game.total
    known = [card for pile in pos.piles.values() for card in pile if card.suit]
    assert max(Counter(known).values(), default=1) == 1
    assert all(len(pile) <= pos.counts[player] for player, pile in pos.piles.items())


@quick
@given(honest())
def test_cards_are_conserved_and_nothing_is_faulted(table: Honest) -> None:
    game, inputs = table.game, table.inputs
    state = reducer.start(game)
    for entry in inputs:
        state, said = reducer.step(state, entry)
        check_conserved(state)
        assert not [one for one in said if isinstance(one.ruling, Violation | Notice | Question | Shown)]


@quick
@given(games(), st.integers(0, 10_000))
def test_counts_are_those_of_the_real_table(game: Game, seed: int) -> None:
    top, state = Tabletop(game, random.Random(seed), order_of(game)), reducer.start(game)
    while state.position.over is None and state.looks < 60:
        before = state.position.round.verdict
        for entry in top.inputs(state):
            state, _ = reducer.step(state, entry)
        if state.position.round.verdict not in (None, before) and not state.position.over:
            put = top.collect(state.position)
            state = reducer.step(state, put)[0] if put else state
            check_owned(top, state.position)


def check_owned(top: Tabletop, pos: Position) -> None:
    """The counts are the cards really owned, and knowledge thinks each of them possible."""
    for player in pos.game.players:
        assert len(top.owned(player)) == pos.counts[player]
        assert all(pos.known.can_own(player, card.bits) for card in top.owned(player))
        if pos.piles and top.face_up[player]:
            assert top.face_up[player][-1] == pos.piles[player][-1]


@quick
@given(honest(), st.randoms(use_true_random=False))
def test_a_table_seen_piecemeal_is_ruled_the_same(table: Honest, rng: random.Random) -> None:
    game, inputs = table.game, table.inputs
    kept = (BattleWon, BattleDrawn, WarDeclared, PlayerOut, GameOver)
    whole = [one for one in outcome(reducer.fold(game, inputs)[1]) if isinstance(one, kept)]
    parts = [one for one in outcome(reducer.fold(game, piecemeal(inputs, rng))[1]) if isinstance(one, kept)]
    assert [verdict(one) for one in parts] == [verdict(one) for one in whole]


def verdict(ruling: object) -> object:
    """A ruling without what it rests on: piecemeal looks may leave face-down numbers assumed."""
    return structs.replace(ruling, seen=(), assumed=()) if isinstance(ruling, BattleWon) else ruling


@quick
@given(honest(), st.data())
def test_undo_is_as_if_it_never_happened(table: Honest, data: st.DataObject) -> None:
    game, inputs = table.game, table.inputs
    number = data.draw(st.integers(1, len(inputs)))
    without = inputs[: number - 1] + inputs[number:]
    state, undone = reducer.fold(game, [*inputs, Undo(999.0, number)])
    assert outcome(undone) == outcome(reducer.fold(game, without)[1])
    again, redone = reducer.fold(game, [*inputs, Undo(999.0, number), Undo(999.0, len(inputs) + 1)])
    assert redone == reducer.fold(game, inputs)[1]
    assert again.position.counts == reducer.fold(game, inputs)[0].position.counts


@quick
@given(honest(), st.data())
def test_correct_is_as_if_it_was_never_misread(table: Honest, data: st.DataObject) -> None:
    game, inputs = table.game, table.inputs
    shown = [n for n, entry in enumerate(inputs, start=1) if isinstance(entry, Seen) and any(entry.faces.values())]
    if not shown:
        return
    number = data.draw(st.sampled_from(shown))
    look = inputs[number - 1]
    assert isinstance(look, Seen)
    player = data.draw(st.sampled_from([p for p, f in look.faces.items() if f]))
    wrong = Face(data.draw(st.sampled_from(CARDS[:52])))
    misread = replace(look, faces={**look.faces, player: (*look.faces[player][:-1], wrong)})
    history = [*inputs[: number - 1], misread, *inputs[number:]]
    right = Correct(999.0, number, {player: look.faces[player]})
    _, corrected = reducer.fold(game, [*history, right])
    assert corrected == reducer.fold(game, inputs)[1]
    _, back = reducer.fold(game, [*history, right, Undo(999.0, len(history) + 1)])
    assert back == reducer.fold(game, history)[1]


@quick
@given(honest())
def test_a_look_seen_twice_changes_nothing(table: Honest) -> None:
    game, inputs = table.game, table.inputs
    state = reducer.start(game)
    for entry in inputs:
        state, _ = reducer.step(state, entry)
        if isinstance(entry, Seen):
            again, said = reducer.step(state, entry)
            assert said == ()
            assert again.position == state.position


@quick
@given(honest())
def test_replay_is_live(table: Honest) -> None:
    game, inputs = table.game, table.inputs
    state = reducer.start(game)
    live: list[Ruled] = []
    for entry in inputs:
        state, said = reducer.step(state, entry)
        live = [one for one in live if one.seq <= state.keep] + list(said)
    replayed, ruled = reducer.fold(game, inputs)
    assert tuple(live) == ruled
    assert replayed == state


@quick
@given(st.data())
def test_nonsense_never_breaks_the_referee(data: st.DataObject) -> None:
    game = data.draw(games())
    state = reducer.start(game)
    live: list[Ruled] = []
    for number in range(1, 25):
        entry = data.draw(nonsense(game, number, 3.0 * number))
        try:
            state, said = reducer.step(state, entry)
        except reducer.RefereeError:
            entry = Seen(3.0 * number, {})
            state, said = reducer.step(state, entry)
        live = [one for one in live if one.seq <= state.keep] + list(said)
        check_conserved(state)
        assert tuple(live) == reducer.rulings(state)
        assert [one.seq for one in live] == list(range(1, len(live) + 1))


@quick
@given(honest())
def test_json_round_trip(table: Honest) -> None:
    game, inputs = table.game, table.inputs
    assert game_from_json(json.loads(json.dumps(game_to_json(game)))) == game
    for entry in inputs:
        assert input_from_json(json.loads(json.dumps(input_to_json(entry)))) == entry
    for one in reducer.fold(game, inputs)[1]:
        assert ruling_from_json(json.loads(json.dumps(ruling_to_json(one)))) == one


@settings(calm, max_examples=8)
@given(games(), st.integers(0, 10_000))
def test_every_game_ends_or_meets_the_cap(game: Game, seed: int) -> None:
    played = simulate.play(game, random.Random(seed), order_of(game), cap=150)
    assert played.over or played.rounds > 150
