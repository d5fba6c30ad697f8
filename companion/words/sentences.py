"""Rulings in words. A ruling comes as its JSON record, so that a stored one is said like a fresh one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.referee.cards import JOKER_CODES, RANKS_BY_NAME
from companion.referee.events import DRAW
from companion.referee.rulebook import Rule
from companion.words.catalogue import Catalogue, Name

_Ruling = Mapping[str, Any]


def sentence(words: Catalogue, ruling: _Ruling) -> str:
    """What the referee says. Raises KeyError for a kind of ruling that has no sentence."""
    return _SAID[ruling["ruling"]](words, ruling)


def as_sentence(phrase: str) -> str:
    """A phrase as a sentence of its own.

    >>> as_sentence("an ace counts 11")
    'An ace counts 11.'
    """
    return f"{phrase[:1].upper()}{phrase[1:]}."


def card(words: Catalogue, code: str) -> str:
    """A card in full: "nine of hearts", or its rank alone where the suit is unknown."""
    if code in JOKER_CODES or code.endswith("?"):
        return words.say("said.rank", rank=name(code))
    return words.say("suit.of", rank=name(code), suit=words.say(f"suit.{code[-1]}"))


def name(code: str) -> Name:
    """What to call a card by: its rank, and a joker by its colour."""
    if code in ("JR", "JB"):
        return Name(code)
    return Name("joker" if code == "JOKER" else code[:-1] if code[-1] in "SHDC?" else code)


def _shown(words: Catalogue, ruling: _Ruling) -> str:
    shown = tuple(
        words.say("shown.one", player=player, cards=tuple(map(name, codes)))
        for player, codes in ruling["faces"].items()
        if codes
    )
    waiting = tuple(ruling.get("waiting", ()))
    key = "shown.waiting" if waiting else "shown.all"
    return words.say(key, shown=", ".join(shown), waiting=waiting)


def _battle_won(words: Catalogue, ruling: _Ruling) -> str:
    said = _who_won(words, ruling)
    if "players" not in ruling.get("assumed", ()):
        return said
    unseen = tuple(player for player, n in ruling["counts"].items() if n and not ruling["faces"].get(player))
    return words.say("battle_won.unseen", said=said, who=unseen) if unseen else said


def _who_won(words: Catalogue, ruling: _Ruling) -> str:
    winner, wars, takes = ruling["winner"], ruling["wars"], ruling["takes"]
    last = {player: codes[-1] for player, codes in ruling["faces"].items() if codes}
    others = [player for player in last if player != winner]
    mine = name(last[winner]) if winner in last else None
    theirs = name(last[others[0]]) if len(others) == 1 else None
    values = {"winner": winner, "high": mine, "low": theirs, "n": takes.get(winner, 0)}
    if mine is None or not others:
        return words.say("battle_won.alone", **values)
    if mine == theirs:
        return words.say("battle_won.short", **values)
    if losers := [player for player, n in takes.items() if n and player != winner]:
        return words.say("battle_won.split", **values, loser=losers[0], m=takes[losers[0]])
    key = ("war" if wars else "both") if theirs else ("war_all" if wars else "all")
    return words.say(f"battle_won.{key}", **values)


def _battle_drawn(words: Catalogue, ruling: _Ruling) -> str:
    again = "both_out=reshuffle" in ruling.get("house_rules", ())
    return words.say("battle_drawn.again" if again else "battle_drawn.equal", n=ruling["pot"])


def _war_declared(words: Catalogue, ruling: _Ruling) -> str:
    groups: dict[tuple[str, int], list[str]] = {}
    for player in ruling["who"]:
        groups.setdefault((_way(player, ruling), ruling["down"].get(player, 0)), []).append(player)
    lay = " ".join(words.say(f"war_declared.{key}", who=tuple(who), n=n) for (key, n), who in groups.items())
    rank = ruling["rank"]
    key = "equal" if "/" in rank else "two" if len(ruling["who"]) == 2 else "many"
    return words.say(f"war_declared.{key}", rank=Name(rank), lay=lay)


def _way(player: str, ruling: _Ruling) -> str:
    down = ruling["down"].get(player, 0)
    if player not in ruling.get("short", ()):
        return "lay" if down else "up"
    if "both_out=reveal" in ruling.get("house_rules", ()):
        return "reveal"
    if player in ruling.get("stands", ()):
        return "stand"
    if "short=lose" in ruling.get("house_rules", ()):
        return "lose"
    if ruling.get("rule") in ("arneson_war", "arneson_tie"):
        return "choose_short" if down else "choose"
    return "short" if down else "last"


def _steal(words: Catalogue, ruling: _Ruling) -> str:
    key = "steal.assumed" if ruling.get("assumed") else "steal.steal"
    return words.say(key, by=ruling["by"], card=name(ruling["card"]), **{"from": tuple(ruling["from"])})


def _question(words: Catalogue, ruling: _Ruling) -> str:
    key = f"question.{ruling.get('why', 'reading')}"
    if key == "question.whose":
        return words.say(key, card=name(ruling["card"]), choices=words.either(ruling["choices"]))
    choices = tuple(name_choice(words, one) for one in ruling["choices"])
    if not choices:
        return words.say(key, about=ruling["about"])
    if len(choices) == 1:
        return words.say("question.unread", about=ruling["about"], choice=choices[0])
    return words.say(key, about=ruling["about"], choices=words.either(choices))


def name_choice(words: Catalogue, text: str) -> str:
    """One possible answer: a card by its rank, anything else by the sentence of its key, else as it stands."""
    if text in JOKER_CODES or (text[:-1] in RANKS_BY_NAME and text[-1] in "SHDC?"):
        return words.say("said.rank", rank=name(text))
    return words.say(f"choice.{text}") if f"choice.{text}" in words else text


def _violation(words: Catalogue, ruling: _Ruling) -> str:
    cards = tuple(card(words, code) for code in ruling.get("cards", ()))
    key = f"violation.{ruling['kind']}"
    if ruling["kind"] == "not_owner" and ruling.get("rule") == "jokers":
        key = "violation.no_jokers"
    if ruling["kind"] == "early_card" and ruling.get("rule") == "war_part":
        key = "violation.not_fighting"
    if ruling["kind"] == "illegal_steal" and ruling.get("why"):
        key = f"violation.steal.{ruling['why']}"
    return words.say(key, player=ruling["player"], cards=cards, n=ruling.get("missing", 0))


def _notice(words: Catalogue, ruling: _Ruling) -> str:
    codes, kind = ruling.get("cards", ()), ruling["kind"]
    values: dict[str, object] = {"player": ruling.get("player") or "", "cards": tuple(card(words, c) for c in codes)}
    if kind == "exchanged":
        values["first"] = name(codes[0]) if codes else ""
    if kind == "counted":
        before, counts = ruling.get("before", {}), ruling.get("counts", {})
        kind = "counted" if counts == before else "counted_anew"
        values |= {"counts": _counts(words, counts), "before": _counts(words, before)}
    return words.say(f"notice.{kind}", houses="", **values)


def _counts(words: Catalogue, counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(words.say("summary.count", player=player, n=n) for player, n in counts.items())


def _player_out(words: Catalogue, ruling: _Ruling) -> str:
    short = ruling.get("rule") in ("short", "steal_short")
    return words.say("player_out.short" if short else "player_out.out", player=ruling["player"])


def _game_over(words: Catalogue, ruling: _Ruling) -> str:
    reason = f"end.{ruling['reason']}"
    reason = words.say(f"{reason}_equal" if _drawn(ruling) and f"{reason}_equal" in words else reason)
    key = "draw" if _drawn(ruling) else "winner"
    return words.say(f"game_over.{key}", winner=ruling["winner"], reason=reason)


def _drawn(ruling: _Ruling) -> bool:
    """Whether nobody has won; a player may be called as a drawn game is written."""
    counts = ruling.get("counts", {})
    if ruling["winner"] != DRAW or DRAW not in counts:
        return bool(ruling["winner"] == DRAW)
    tied = sum(count == max(counts.values()) for count in counts.values()) > 1
    return bool(ruling["rule"] == Rule.BOTH_OUT or (ruling["rule"] == Rule.MOST_CARDS and tied))


def _blind(words: Catalogue, ruling: _Ruling) -> str:
    since, until = ruling.get("blind") or (ruling["since"], ruling["until"])
    return words.say("blind.blind", n=max(1, round(until - since)))


_SAID: dict[str, Callable[[Catalogue, _Ruling], str]] = {
    "shown": _shown,
    "battle_won": _battle_won,
    "battle_drawn": _battle_drawn,
    "war_declared": _war_declared,
    "steal": _steal,
    "question": _question,
    "violation": _violation,
    "notice": _notice,
    "player_out": _player_out,
    "game_over": _game_over,
    "blind": _blind,
}
KINDS = frozenset(_SAID)
