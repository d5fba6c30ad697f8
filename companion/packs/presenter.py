"""What the page says while a pack is enrolled: what lies to be laid, what was learned, what is lacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.packs.lesson import BACK, JOKER, Card, Lesson
from companion.table.enrolment_view import EnrolView
from companion.words import Words
from companion.words.sentences import name

#: So many cards of one suit are named each; of more only their number is said.
NAMED = 3
#: So many cards that lie wrongly are named.
WRONG = 4


def view(lesson: Lesson, words: Words) -> EnrolView:
    """The lesson as the page shows it."""
    step = lesson.step
    lay = lesson.lay
    cards = "".join(_spoken(lesson, lay, words))
    return EnrolView(
        step=step,
        says=words.say(f"page.enrol.step.{step}", cards=cards),
        rows=lesson.order,
        known=tuple(code for row in lesson.order for code in row if code in lesson.codes),
        lay=lay,
        jokers=lesson.count(JOKER),
        backs=lesson.count(BACK),
        each=lesson.each,
        lacking=_lacking(lesson, words),
        begun=lesson.before is not None,
    )


def learned(lesson: Lesson, found: Sequence[Card], words: Words) -> str:
    """What a picture taught."""
    after, codes = lesson.with_cards(found), [code for code, _ in found]
    what = [*_spoken(lesson, codes, words)]
    what += [words.say(f"page.enrol.extra.{code}", n=codes.count(code)) for code in (JOKER, BACK) if codes.count(code)]
    wanted = {code for row in lesson.order for code in row}
    return words.say("page.enrol.learned", cards=words.names(what), n=len(after.codes & wanted), total=len(wanted))


def _lacking(lesson: Lesson, words: Words) -> str:
    lacking = [one for row in lesson.lacking for one in _spoken(lesson, row, words)]
    lacking += [words.say(f"page.enrol.lacking.{code}") for code in lesson.extras]
    return words.say("page.enrol.lacking.all", cards=words.names(lacking)) if lacking else ""


def _spoken(lesson: Lesson, codes: Sequence[str], words: Words) -> Iterator[str]:
    """The cards by their rows: whole ones from the first to the last, few cards each by its name."""
    for row in lesson.order:
        here = [code for code in row if code in codes]
        suit = words.say(f"suit.{row[0][-1]}")
        if len(here) == len(row) > 1:
            yield words.say("page.enrol.span", first=name(row[0]), last=name(row[-1]), suit=suit)
        elif len(here) <= NAMED:
            yield from map(words.card, here)
        else:
            yield words.say("page.enrol.some", n=len(here), suit=suit)


def cards_named(wrong: Sequence[tuple[str, str]], words: Words) -> str:
    """Where each card should lie and what was read there, of (code by its place, code read)."""

    def named(code: str) -> str:
        return words.say("page.card.face_down") if code == BACK else words.card(code)

    said = [words.say("page.enrol.wrong", read=named(read), card=named(code)) for code, read in wrong[:WRONG]]
    if len(wrong) > WRONG:
        said.append(words.say("page.enrol.more_wrong", n=len(wrong) - WRONG))
    return "; ".join(said)
