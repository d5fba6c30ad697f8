"""Who wins, who fights, how many cards a war takes: the rules of all variants on a settled table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.referee.cards import Card, Rank, Suit
from companion.referee.events import WarDeclared
from companion.referee.position import NOTHING, Position
from companion.referee.rulebook import RULEBOOK, Rule
from companion.referee.settings import (
    SETTINGS,
    DoubleTie,
    JokerTie,
    RazboiCount,
    RazboiRetie,
    Settings,
    Short,
    TwoWay,
    WarPart,
)
from companion.referee.variants import Size, settings_for

#: The ranks that a house rule makes one, by its key; of several in force the first counts.
_ONE_RANK = {setting.key: setting.as_one for setting in SETTINGS if setting.as_one}


def _one_rank(card: Card, rules: Settings) -> tuple[str, tuple[Rank, ...]]:
    """The house rule that makes the card's rank one with others, and those ranks; no rule and its own rank else."""
    for key, ranks in _ONE_RANK.items():
        if card.rank in ranks and getattr(rules, key):
            return key, ranks
    return "", (card.rank,)


def ranks_as(card: Card, rules: Settings) -> tuple[Rank, ...]:
    """The ranks that count as the card's own, itself among them.

    >>> [str(rank) for rank in ranks_as(Card.parse("KH"), Settings(faces_equal=True))]
    ['10', 'J', 'Q', 'K']
    """
    return _one_rank(card, rules)[1]


def strength(card: Card, rules: Settings) -> int:
    """What is compared: ace high, joker highest (E4, E19); suits never decide.

    >>> strength(Card.parse("KH"), Settings()), strength(Card.parse("KH"), Settings(faces_equal=True))
    (13, 10)
    """
    if card.rank is Rank.JOKER and rules.joker_tie is JokerTie.BIG_BEATS_LITTLE:
        return card.rank.strength + (card.suit is Suit.RED)
    return ranks_as(card, rules)[0].strength


def highest(faces: Mapping[str, Card], rules: Settings) -> tuple[str, ...]:
    """The players with the highest card: one wins, more tie.

    >>> highest({"A": Card.parse("QS"), "B": Card.parse("6H"), "C": Card.parse("QD")}, Settings())
    ('A', 'C')
    """
    strengths = {player: strength(card, rules) for player, card in faces.items()}
    top = max(strengths.values())
    return tuple(player for player, value in strengths.items() if value == top)


def rank_name(card: Card, rules: Settings) -> str:
    """The rank as rulings name it; `10/J/Q/K` where the house makes them equal (E30)."""
    return "/".join(ranks_as(card, rules))


def rank_size(card: Card, rules: Settings) -> int:
    """Face-down cards of a Război war (E28-E30): the number less one, pictures ten, aces as set.

    >>> [rank_size(Card.parse(code), Settings()) for code in ("8S", "2S", "KS", "AS", "JR")]
    [7, 1, 9, 10, 10]
    """
    number = min(card.rank.strength, Rank.TEN.strength)
    if card.rank in (Rank.ACE, Rank.JOKER):
        number = rules.razboi_ace
    return number if rules.razboi_count is RazboiCount.N_DOWN else number - 1


def latest(pos: Position) -> dict[str, Card]:
    """The faces that fight: the latest one of every fighter, in seat order."""
    laid = pos.round.laid
    return {player: laid[player].faces[-1].card for player in pos.round.fighters}


def able(pos: Position, player: str) -> int:
    """How many cards the player could lay face down and still lay one up."""
    return max(0, pos.counts[player] - max(1, pos.game.variant.hand))


def war(pos: Position, tied: tuple[str, ...], card: Card) -> WarDeclared:
    """The war that this tie declares: who must lay or stand, and how many face down each."""
    rules, size = pos.game.settings, war_size(pos, tied, card)
    who = _who(pos, tied)
    short = tuple(p for p in who if able(pos, p) < size or not pos.counts[p])
    down = _down(pos, who, size, short)
    rule, houses = _reasons(pos, tied, who, card, short)
    stands = tuple(player for player in who if not pos.counts[player])
    differs = differing(pos, houses)
    return WarDeclared(pos.round.number, rank_name(card, rules), who, down, rule, short, houses, differs, size, stands)


def _who(pos: Position, tied: tuple[str, ...]) -> tuple[str, ...]:
    rules = pos.game.settings
    if rules.war_part is WarPart.TIED or _literal_pair(pos, tied):
        return tied
    return pos.round.players


def _literal_pair(pos: Position, tied: tuple[str, ...]) -> bool:
    several = pos.game.variant.size is Size.MULTI_DOWN
    return several and pos.game.settings.two_way is TwoWay.CLASSIC and len(tied) == 2


def war_size(pos: Position, tied: tuple[str, ...], card: Card) -> int:
    """Face-down cards each must lay for this tie, before any shortage."""
    rules, game = pos.game.settings, pos.game
    again = bool(pos.round.wars)
    if again and (game.variant.hand or rules.double_tie is DoubleTie.FACEUP):
        return 0
    if _literal_pair(pos, tied):
        return rules.war_down
    match game.variant.size:
        case Size.WAR_DOWN:
            return rules.war_down
        case Size.MULTI_DOWN:
            return rules.multi_down
        case Size.RANK:
            return rank_size(_sizing_card(pos, card), rules)


def _sizing_card(pos: Position, card: Card) -> Card:
    if pos.round.fought and pos.game.settings.razboi_retie is RazboiRetie.FIRST:
        first = {p: pos.round.laid[p].faces[i].card for p, i in pos.round.fought[0].items()}
        return first[highest(first, pos.game.settings)[0]]
    return card


def _down(pos: Position, who: tuple[str, ...], size: int, short: tuple[str, ...]) -> dict[str, int]:
    match pos.game.settings.short:
        case Short.LOSE:
            return dict.fromkeys(who, size)
        case Short.EQUAL_FORCE if short:
            least = min(able(pos, player) for player in who)
            return {player: min(least, size) for player in who}
        case _:
            return {player: min(size, able(pos, player)) if pos.counts[player] else 0 for player in who}


def _reasons(
    pos: Position, tied: tuple[str, ...], who: tuple[str, ...], card: Card, short: tuple[str, ...]
) -> tuple[Rule, tuple[str, ...]]:
    """The rule to cite, and the house rules (`key=value`) that this war rests on."""
    rules, several = pos.game.settings, len(pos.round.players) > 2
    rule = pos.game.variant.war_rule
    keys: list[str] = []
    if pos.round.wars:
        rule = _retie_rule(pos)
        keys += [key] if (key := RULEBOOK[rule].setting) else []
    if several and len(tied) < len(pos.round.players):
        rule = Rule.TWO_WAY if _literal_pair(pos, tied) else Rule.WAR_PART
        keys.append(str(rule))
    keys += _size_keys(pos, tied, card)
    if short:
        keys.append("short")
    if not any(pos.counts[player] for player in pos.round.players):
        keys.append("both_out")
    return rule, house_rule_words(rules, keys)


def _retie_rule(pos: Position) -> Rule:
    """The rule of a tie within a war: each variant has its own, unless cards are turned up one at a time."""
    if pos.game.variant.hand:
        return Rule.ARNESON_TIE
    if pos.game.variant.size is Size.RANK and pos.game.settings.double_tie is DoubleTie.REPEAT:
        return Rule.RAZBOI_RETIE
    return Rule.DOUBLE_TIE


def differing(pos: Position, houses: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the settings named that are not as the variant is played unless told otherwise."""
    if not houses:
        return ()
    base = settings_for(pos.game.variant.name, {})
    return tuple(house for house in houses if house not in house_rule_words(base, [house.partition("=")[0]]))


def _size_keys(pos: Position, tied: tuple[str, ...], card: Card) -> Iterable[str]:
    rules = pos.game.settings
    if equal := _one_rank(card, rules)[0]:
        yield equal
    if card.rank is Rank.JOKER:
        yield "joker_tie"
    match pos.game.variant.size:
        case Size.RANK:
            yield "razboi_count"
            if card.rank in (Rank.ACE, Rank.JOKER):
                yield "razboi_ace"
        case Size.MULTI_DOWN if _literal_pair(pos, tied):
            yield str(Size.WAR_DOWN)
        case size:
            yield str(size)


def house_rule_words(rules: Settings, keys: Iterable[str]) -> tuple[str, ...]:
    """House rules in the words of the settings.

    >>> house_rule_words(Settings(), ["war_part", "faces_equal"])
    ('war_part=all', 'faces_equal=false')
    """
    return tuple(f"{key}={str(getattr(rules, key)).lower()}" for key in keys)


def losers(pos: Position, declared: WarDeclared) -> tuple[str, ...]:
    """Who loses at once for want of cards under `short=lose`: who is short; of all short ones the shortest.

    Empty where nobody is short, everyone where all are equally short.
    """
    short = declared.short
    if len(short) < len(declared.who):
        return short
    fewest = min(pos.counts[player] for player in short)
    return tuple(player for player in short if pos.counts[player] == fewest)


def others(pos: Position, fighters: tuple[str, ...]) -> dict[str, Card]:
    """The latest faces of those in the round who do not fight."""
    laid = pos.round.laid
    left = (p for p in pos.round.players if p not in fighters)
    return {p: laid[p].faces[-1].card for p in left if laid.get(p, NOTHING).faces}
