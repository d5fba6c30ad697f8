"""What the inputs of a history really were, once undone lines and corrections are applied. Pure list work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from msgspec import structs

from companion.referee.cards import Card
from companion.referee.events import (
    Correct,
    Count,
    Face,
    Input,
    Missed,
    Question,
    Reshuffle,
    Seen,
    Steal,
    Swap,
    Top,
    Undo,
)

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer bound to the question it answers, so that renumbered rulings cannot change its meaning.

    `back` is True where the answer changes a reading that was ruled on: it then counts from that look on. The answer
    is a `card`, or a `player` where it was asked whose a card is.
    """

    at: float
    question: Question
    card: Card | None
    back: bool
    player: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Several effects of one input, one after the other: a missed round comes before or after what lay there."""

    at: float
    parts: tuple[Input | Reply, ...]


#: An input as it is folded; None for one that has no effect of its own.
Effect = Input | Reply | Joined | None


def effects(entries: Sequence[Input | Reply | None]) -> list[Effect]:
    """What each input of the history does, in place: undone ones nothing, corrected looks their right faces.

    >>> look = Seen(0.0, {"A": (Face(Card.parse("9H")),)})
    >>> [entry is look for entry in effects([look, Undo(1.0, 1), Undo(2.0, 2)])]
    [True, False, False]
    """
    removed = undone(entries)
    found: list[Effect] = [None if number in removed else entry for number, entry in enumerate(entries, start=1)]
    _exchange(found)
    for place, entry in enumerate(found):
        match entry:
            case Undo() | Swap():
                found[place] = None
            case Correct():
                found[place] = None
                _patch(found, entry.look, entry.faces)
            case Reply(back=True):
                found[place] = None
                _patch_one(found, entry)
    _insert_missed(found)
    return found


def _insert_missed(found: list[Effect]) -> None:
    """Put every missed round in its place; of several in one place the one told last comes last."""
    for place, entry in enumerate(found):
        if not isinstance(entry, Missed):
            continue
        found[place] = None
        base = max(0, entry.look - 1)
        old = found[base] if base < place else None
        at = entry.at if old is None else old.at
        before = old.parts if isinstance(old, Joined) else (old,) if old else ()
        looks = _looks_of(at, entry.faces)
        found[base if base < place else place] = Joined(at, (*looks, *before) if not entry.look else (*before, *looks))


def _looks_of(at: float, faces: Mapping[str, tuple[Face, ...]]) -> tuple[Seen, ...]:
    """A cleared table, and one look for the battle and for each war, as they would have been seen."""
    said = {player: tuple(Face(face.card, said=True) for face in laid) for player, laid in faces.items()}
    stages = max((len(laid) for laid in said.values()), default=0)
    steps = ({player: laid[:n] for player, laid in said.items()} for n in range(1, stages + 1))
    return (Seen(at, {}), *(Seen(at, step) for step in steps), Seen(at, {}))


def undone(entries: Sequence[Input | Reply | None]) -> dict[int, int]:
    """The numbers of the inputs, from 1, that an undo keeps out of the history, each with the number of that undo.

    An undo that is undone itself removes nothing.

    >>> undone([Undo(1.0, 1)]), undone([Reshuffle(0.0, "A"), Undo(1.0, 1), Undo(2.0, 2)])
    ({1: 1}, {2: 3})
    """
    removed: dict[int, int] = {}
    for number in range(len(entries), 0, -1):
        entry = entries[number - 1]
        if isinstance(entry, Undo) and number not in removed:
            removed.setdefault(entry.look, number)
    return removed


def faces_shown(entries: Sequence[Input | Reply | None], look: int) -> Mapping[str, tuple[Face, ...]]:
    """The faces of input `look`, from 1, with the corrections and exchanges that stand; empty for no look.

    Also of a look that is undone: what lay there stays readable.

    >>> ana = Seen(0.0, {"A": (Face(Card.parse("9H")),)})
    >>> faces_shown([ana, Correct(1.0, 1, {"A": (Face(Card.parse("6H")),)}), Undo(2.0, 1)], 1)["A"][0].card.code
    '6H'
    """
    kept = [None if isinstance(entry, Undo) and entry.look == look else entry for entry in entries]
    shown = effects(kept)[look - 1] if 1 <= look <= len(kept) else None
    return shown.faces if isinstance(shown, Seen) else {}


def _exchange(found: list[Effect]) -> None:
    """Give everything before a swap the names that it should have had, those of all later swaps at once."""
    names: dict[str, str] = {}
    for place in range(len(found) - 1, -1, -1):
        entry = found[place]
        if isinstance(entry, Swap):
            one, other = entry.players
            swapped = {**names, one: names.get(other, other), other: names.get(one, one)}
            names = {player: now for player, now in swapped.items() if player != now}
        elif names:
            found[place] = renamed(entry, names)


def renamed(entry: Effect, names: Mapping[str, str]) -> Effect:
    """The same input with other people in it; what somebody said himself stays his.

    >>> renamed(Reshuffle(1.0, "Ana"), {"Ana": "Ben", "Ben": "Ana"}).player
    'Ben'
    """
    match entry:
        case Seen():
            return Seen(
                entry.at,
                _keys(entry.faces, names) or {},
                _keys(entry.backs, names),
                _keys(entry.backs_seen, names),
                _keys(entry.piles, names),
                frozenset(names.get(player, player) for player in entry.unmoved),
                _keys(entry.ghosts, names),
            )
        case Correct() | Missed():
            return replace(entry, faces=_keys(entry.faces, names) or {})
        case Reply():
            return _renamed_reply(entry, names)
        case Steal():
            victims = tuple(names.get(player, player) for player in entry.victims)
            return replace(entry, by=names.get(entry.by, entry.by), victims=victims)
        case Top():
            return replace(entry, cards=_keys(entry.cards, names) or {})
        case Count():
            return replace(entry, counts=_keys(entry.counts, names) or {})
        case Reshuffle():
            return replace(entry, player=names.get(entry.player, entry.player))
    return entry


def _renamed_reply(reply: Reply, names: Mapping[str, str]) -> Reply:
    asked = reply.question
    who = tuple(names.get(choice, choice) for choice in asked.choices) if asked.card else asked.choices
    question = structs.replace(asked, about=names.get(asked.about, asked.about), choices=who)
    return replace(reply, question=question, player=names.get(reply.player, reply.player))


def _keys(named: Mapping[str, Named] | None, names: Mapping[str, str]) -> dict[str, Named] | None:
    return None if named is None else {names.get(player, player): value for player, value in named.items()}


def _patch(found: list[Effect], number: int, faces: object) -> None:
    old = found[number - 1]
    if isinstance(old, Seen) and isinstance(faces, dict):
        found[number - 1] = correct_look(old, faces)


def _patch_one(found: list[Effect], reply: Reply) -> None:
    number, slot = reply.question.face
    old, player = found[number - 1], reply.question.about
    if reply.card is None:
        found[number - 1] = given_to(old, reply.question, reply.player) if isinstance(old, Seen) else old
        return
    if not isinstance(old, Seen) or slot >= len(old.faces.get(player, ())):
        return
    laid = old.faces[player]
    right = (*laid[:slot], Face(reply.card), *laid[slot + 1 :])
    found[number - 1] = correct_look(old, {player: right})


def given_to(look: Seen, question: Question, owner: str) -> Seen:
    """The look once it is known whose the card in question is; the other of the two laid the new card beside it."""
    other = next(player for player in question.choices if player != owner)
    first, lies_at = question.choices
    card = look.faces[lies_at][question.face[1]]
    rest = next(iter(look.faces.get(first, ())), None)
    return correct_look(look, {owner: (card,), other: (rest,) if rest else ()})


def correct_look(look: Seen, faces: dict[str, tuple[Face, ...]]) -> Seen:
    """The look with the faces that a person named; what was misread there is kept beside them."""
    right = {player: _said(look.faces.get(player, ()), cards) for player, cards in faces.items()}
    ghosts = {player: _ghosts(look.faces.get(player, ()), cards) for player, cards in faces.items()}
    return replace(look, faces={**look.faces, **right}, ghosts={**(look.ghosts or {}), **ghosts})


def _said(old: tuple[Face, ...], new: tuple[Face, ...]) -> tuple[Face, ...]:
    return tuple(
        _said_of(old[slot], face) if slot < len(old) else Face(face.card, said=True) for slot, face in enumerate(new)
    )


def _said_of(old: Face, new: Face) -> Face:
    hardly = old.hardly or (not old.said and old.is_unread)
    return Face(new.card, said=True, misread=_misread(old, new), hardly=hardly)


def _misread(old: Face, new: Face) -> Card | None:
    seen = old.misread or old.card
    return None if seen == new.card else seen


def _ghosts(old: tuple[Face, ...], new: tuple[Face, ...]) -> tuple[Card, ...]:
    """Cards that were read though nothing lay there."""
    right = {face.card for face in new}
    return tuple(face.card for face in old[len(new) :] if face.card not in right)
