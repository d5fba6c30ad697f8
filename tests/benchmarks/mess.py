"""How well a table in a mess is refereed: `python tests/benchmarks/mess.py [--rounds N] [--seed N] [--films N]`.

Random games of every variant, two to four players, in which most rounds go as they do in a family: cards are nudged
over the middle, picked up and put back, exchanged, left in heaps, taken by the wrong player, covered by hands, read in
doubt. The script knows what really happened. People answer every question with the truth. Counted are wrong verdicts
of which nothing was said, rounds that were not judged, and questions and remarks that the mess gives no cause for.
Prints a table by kind of mess and by variant, and one line of JSON; exit code 1 where a verdict is wrong unnoticed, a
round is lost, or more than one needless question or remark is made in fifty rounds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from companion.referee import reducer  # noqa: E402
from companion.referee.cards import Card, Rank  # noqa: E402
from companion.referee.codec import game_to_json, input_to_json  # noqa: E402
from companion.referee.events import (  # noqa: E402
    Answer,
    BattleDrawn,
    BattleWon,
    Count,
    Input,
    Notice,
    NoticeKind,
    Question,
    QuestionKind,
    Ruled,
    Violation,
)
from companion.referee.reducer import RefereeError, State  # noqa: E402
from companion.referee.variants import VARIANTS  # noqa: E402
from tests.benchmarks.mess_script import KINDS, Script, Step, TrueRound, messy_game  # noqa: E402

#: Rounds of one game.
ROUNDS = 40
#: Questions that people answer after one look before they give up.
MOST_ANSWERS = 8
#: What a good referee may say once of each kind of mess in a round, and what of cards that went astray unnoticed.
CAUSE = {
    "nudged": ("whose",),
    "over_border": ("whose",),
    "late": ("heap", "early_card"),
    "exchanged": ("exchanged", "reread", "count_now", "counted"),
    "heap": ("heap",),
    "uncollected": ("heap", "early_card"),
    "face_up": ("order", "order", "reread", "face_up", "early_card"),
    "stranger": ("early_card",),
    "doubtful": ("reading", "reading", "reread"),
    "unread": ("reading", "reading", "reread"),
    "wrong_taker": ("wrong_taker",),
}
#: What is said of cards that went where nobody told of, from that round on.
ASTRAY = ("not_owner", "count_now", "count", "counted", "same_card_twice", "exchanged", "nothing_to_do")
LIMIT = 1 / 50


@dataclass
class Refereed:
    """A script and what the referee made of it: the rulings that stand, and which step each belongs to."""

    script: Script
    state: State
    #: The step of each input of the referee, from 1: people's answers belong to the step that was asked about.
    step_of: list[int] = field(default_factory=lambda: [0])


def referee(script: Script) -> Refereed:
    """Show a script to the referee, and answer what it asks with the truth."""
    done = Refereed(script, reducer.start(script.game))
    for number, step in enumerate(script.steps):
        said = _tell(done, number, step.entry)
        for _ in range(MOST_ANSWERS):
            reply = _reply(done, step, said)
            if reply is None:
                break
            said = _tell(done, number, reply)
    return done


def _tell(done: Refereed, number: int, entry: Input) -> tuple[Ruled, ...]:
    done.step_of.append(number)
    done.state, said = reducer.step(done.state, entry)
    return said


def _reply(done: Refereed, step: Step, said: tuple[Ruled, ...]) -> Input | None:
    """What people say to an open question, or to a call for counting; None where nothing is asked."""
    at = step.entry.at
    if any(isinstance(one.ruling, Notice) and one.ruling.kind == NoticeKind.COUNT_NOW for one in said):
        return Count(at, step.counts)
    for one in reversed(reducer.rulings(done.state)):
        if isinstance(one.ruling, Question) and one.ruling in done.state.position.asked:
            asked = done.script.steps[done.step_of[one.ruling.face[0]]]
            return _truth(one.ruling, one.seq, asked, step, at)
    return None


def _truth(question: Question, seq: int, asked: Step, step: Step, at: float) -> Input | None:
    """The answer to a question about the look of step `asked`, in step `step`."""
    match question.why:
        case QuestionKind.COUNT:
            return Count(at, asked.counts)
        case QuestionKind.WHOSE if question.card is not None:
            owner = next(p for card, p in asked.owner.items() if card.may_be(question.card))
            return Answer(at, seq, owner) if owner in question.choices else None
        case QuestionKind.ORDER:
            first = next(card.code for card in asked.order[question.about] if card.code in question.choices)
            return Answer(at, seq, first)
        case QuestionKind.REREAD | QuestionKind.BLIND:
            # Another card was there as well, and was taken back or lies under it: the one laid last counts.
            # Where the next round lies there already, it is asked about the one before.
            laid = reversed((step if step.round == asked.round else asked).order.get(question.about, ()))
            last = (code for card in laid for code in _codes([card]) if code in question.choices)
            return next((Answer(at, seq, code) for code in last), None)
    lie = asked.cards.get(question.about, ())
    return Answer(at, seq, lie[question.face[1]].code) if question.face[1] < len(lie) else None


def _codes(cards: Iterable[Card]) -> set[str]:
    """Every way in which these cards may be named."""
    return {code for card in cards for code in (card.code, card.without_suit().code)}


# --- what came of it --------------------------------------------------------------------------------


@dataclass
class Tally:
    """What was counted of each kind of mess and each variant, and every fault in words."""

    counted: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: list[str] = field(default_factory=list)

    def add(self, script: Script, one: TrueRound | Step, what: str, why: str = "") -> None:
        """Count something of a round; a fault is kept in words."""
        for key in (("kind", one.kind), ("variant", script.game.variant.name), ("all", "all")):
            self.counted[key][what] += 1
        if why:
            number = one.number if isinstance(one, TrueRound) else one.round
            self.faults.append(f"{what}: round {number} ({one.kind}, {script.game.variant.name}): {why}")


Verdict = tuple[int, Ruled, BattleWon | BattleDrawn]


def judge(done: Refereed, tally: Tally) -> None:
    """Compare what stands as ruled with what really happened."""
    stand = reducer.rulings(done.state)
    verdicts: list[Verdict] = [
        (done.script.steps[done.step_of[one.look]].round, one, one.ruling)
        for one in stand
        if isinstance(one.ruling, BattleWon | BattleDrawn)
    ]
    asked = {one.ruling.round for one in stand if isinstance(one.ruling, Question)} | _called_to_count(stand)
    _compare_rounds(done, tally, verdicts, asked)
    _count_needless(done, tally, stand)


def _called_to_count(stand: tuple[Ruled, ...]) -> set[int]:
    """The rounds by the referee's number in which people were called to count: who plays is in doubt there."""
    found, number = set(), 1
    for one in stand:
        number = getattr(one.ruling, "round", number)
        if isinstance(one.ruling, Notice) and one.ruling.kind == NoticeKind.COUNT_NOW:
            found.add(number)
    return found


def _compare_rounds(done: Refereed, tally: Tally, verdicts: list[Verdict], asked: set[int]) -> None:
    left = list(done.script.rounds)
    right = True
    for told, one, verdict in verdicts:
        due = [true for true in left if true.number <= told]
        same = next((true for true in due if _faces(true.faces) == _faces(verdict.faces)), None)
        true = same or (due[0] if due else None)
        if true is None:
            tally.add(done.script, done.script.steps[done.step_of[one.look]], "wrong", f"invented {verdict}")
            continue
        while left[0] is not true:
            tally.add(done.script, left[0], "lost", "not judged")
            left.pop(0)
        left.pop(0)
        tally.add(done.script, true, "rounds")
        if fault := _fault(true, verdict, right and true.number < done.script.drifted):
            noticed = {"reading", "players"} & set(getattr(verdict, "assumed", ())) or verdict.round in asked
            right = False
            tally.add(done.script, true, "noticed" if noticed else "wrong", fault)
        else:
            tally.add(done.script, true, "right")
    for true in left:
        if true.number >= max(done.script.drifted, done.script.rounds[-1].number):
            # Who is out though the counts say otherwise is waited for until the next round lies there.
            continue
        tally.add(done.script, true, "lost", "not judged")


def _faces(faces: Mapping[str, tuple[Card, ...]]) -> dict[str, Rank]:
    return {player: laid[-1].rank for player, laid in faces.items() if laid}


def _fault(true: TrueRound, verdict: BattleWon | BattleDrawn, counts: bool) -> str:
    winner = verdict.winner if isinstance(verdict, BattleWon) else None
    if winner != true.winner:
        return f"{winner} instead of {true.winner}: {verdict.faces} instead of {true.faces}"
    if counts and verdict.counts != true.counts:
        return f"{verdict.counts} instead of {true.counts}"
    return ""


def _count_needless(done: Refereed, tally: Tally, stand: tuple[Ruled, ...]) -> None:
    allowed: dict[int, list[str]] = {}
    for one in stand:
        step = done.script.steps[done.step_of[one.look]]
        match one.ruling:
            case Question(why=what) | Violation(kind=what) | Notice(kind=what):
                left = allowed.setdefault(step.round, list(CAUSE.get(step.kind, ())))
                if what in left:
                    left.remove(what)
                    tally.add(done.script, step, "asked with cause")
                elif not (step.round >= done.script.drifted and what in ASTRAY):
                    tally.add(done.script, step, "needless", f"{one.ruling}")


# --- many games -------------------------------------------------------------------------------------


def scripts(rounds: int, seed: int, filmed: bool = False) -> Iterator[Script]:
    """Games until so many rounds are played, the variants in turn."""
    played = 0
    while played < rounds:
        name = VARIANTS[seed % len(VARIANTS)].name
        script = messy_game(seed, min(ROUNDS, rounds - played), name, filmed)
        played += len(script.rounds)
        seed += 1
        yield script


def measure(rounds: int, seed: int, dump: Path | None = None) -> Tally:
    """Referee so many messy rounds as looks."""
    tally = Tally()
    for number, script in enumerate(scripts(rounds, seed)):
        before = len(tally.faults)
        try:
            judge(referee(script), tally)
        except RefereeError as error:
            tally.add(script, script.steps[-1], "wrong", f"refused: {error}")
        tally.faults[before:] = [f"game {seed + number}, {fault}" for fault in tally.faults[before:]]
        if dump and len(tally.faults) > before:
            write(script, dump / f"{seed + number}.looks")
    return tally


def write(script: Script, path: Path) -> None:
    """Keep a script as a `.looks` file."""
    lines = [{"game": game_to_json(script.game)}, *(input_to_json(step.entry) for step in script.steps)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


COLUMNS = ("rounds", "right", "noticed", "wrong", "lost", "asked with cause", "needless")


def table(tally: Tally) -> str:
    """The figures by kind of mess and by variant."""
    names = [("kind", kind.__name__) for kind in KINDS]
    names += [("variant", entry.name) for entry in VARIANTS] + [("all", "all")]
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for key in names:
        figures = " | ".join(str(tally.counted[key][column]) for column in COLUMNS)
        lines.append(f"| {key[1]} | {figures} |")
    return "\n".join(lines)


def passed(counted: Mapping[str, int]) -> bool:
    """Whether nothing is wrong unnoticed or lost, and hardly anything needless is said."""
    rounds = counted.get("rounds", 0)
    return not counted.get("wrong") and not counted.get("lost") and counted.get("needless", 0) <= LIMIT * rounds


def main() -> int:
    """Measure, print the table and every fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", type=int, default=20, help="faults that are told of in words")
    parser.add_argument("--dump", type=Path, help="folder for the scripts of games with faults")
    words = parser.parse_args()
    tally = measure(words.rounds, words.seed, words.dump)
    for fault in tally.faults[: words.faults]:
        print(fault, file=sys.stderr)
    counted = tally.counted["all", "all"]
    print(table(tally))
    print(json.dumps({"seed": words.seed, **counted}))
    return 0 if passed(counted) else 1


if __name__ == "__main__":
    raise SystemExit(main())
