"""Presents an enrolment on the page: what to lay, what a picture taught, what is lacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.packs.enrolment import BACK, JOKER, Enrolment
from companion.table.snapshot import EnrolView
from companion.words import Words
from companion.words.sentences import name
from vision.packs.enrol import Card

#: So many cards of one suit are named each; of more only their number is said.
NAMED = 3
#: So many cards that lie wrongly are named.
WRONG = 4


def present_enrolment(enrolment: Enrolment, words: Words) -> EnrolView:
    """View of the enrolment, worded in the language of `words`."""
    step = enrolment.step
    lay = enrolment.lay
    cards = "".join(_spoken(enrolment, lay, words))
    return EnrolView(
        step=step,
        says=words.say(f"page.enrol.step.{step}", cards=cards),
        rows=enrolment.order,
        known=tuple(code for row in enrolment.order for code in row if code in enrolment.codes),
        lay=lay,
        jokers=enrolment.count(JOKER),
        backs=enrolment.count(BACK),
        each=enrolment.each,
        lacking=_lacking(enrolment, words),
        begun=enrolment.before is not None,
    )


def describe_learned(enrolment: Enrolment, found: Sequence[Card], words: Words) -> str:
    """One sentence on the cards that a picture taught."""
    after, codes = enrolment.with_cards(found), [code for code, _ in found]
    what = [*_spoken(enrolment, codes, words)]
    what += [words.say(f"page.enrol.extra.{code}", n=codes.count(code)) for code in (JOKER, BACK) if codes.count(code)]
    wanted = {code for row in enrolment.order for code in row}
    return words.say("page.enrol.learned", cards=words.names(what), n=len(after.codes & wanted), total=len(wanted))


def _lacking(enrolment: Enrolment, words: Words) -> str:
    lacking = [one for row in enrolment.lacking for one in _spoken(enrolment, row, words)]
    lacking += [words.say(f"page.enrol.lacking.{code}") for code in enrolment.extras]
    return words.say("page.enrol.lacking.all", cards=words.names(lacking)) if lacking else ""


def _spoken(enrolment: Enrolment, codes: Sequence[str], words: Words) -> Iterator[str]:
    """The cards by their rows: whole ones from the first to the last, few cards each by its name."""
    for row in enrolment.order:
        here = [code for code in row if code in codes]
        suit = words.say(f"suit.{row[0][-1]}")
        if len(here) == len(row) > 1:
            yield words.say("page.enrol.span", first=name(row[0]), last=name(row[-1]), suit=suit)
        elif len(here) <= NAMED:
            yield from map(words.card, here)
        else:
            yield words.say("page.enrol.some", n=len(here), suit=suit)


def describe_misplaced(wrong: Sequence[tuple[str, str]], words: Words) -> str:
    """Cards in each other's places, from pairs (code by the place, code read), at most WRONG of them."""

    def named(code: str) -> str:
        return words.say("page.card.face_down") if code == BACK else words.card(code)

    said = [words.say("page.enrol.wrong", read=named(read), card=named(code)) for code, read in wrong[:WRONG]]
    if len(wrong) > WRONG:
        said.append(words.say("page.enrol.more_wrong", n=len(wrong) - WRONG))
    return "; ".join(said)
