"""Packs at the table: enrolled before the running camera, chosen and forgotten, as the page asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from companion import defaults
from companion.packs.enrolment import Enrolment, cut_next_cards
from companion.table.requests import (
    BeginEnrolling,
    ForgetPack,
    Handlers,
    KeepPack,
    LeaveOut,
    Refused,
    ShowEach,
    StopEnrolling,
    TakeBack,
    TakePicture,
    UsePack,
)
from companion.table.session import Phase
from companion.table.snapshot import EnrolView
from companion.table.table import Table
from companion.words import Words, speak
from companion.words.sentences import name
from vision.background import BackgroundCall
from vision.packs import pack as packs
from vision.packs.enrol import CutCard, EnrolmentDetector, EnrolmentNetworks, build_pack, enrolment_networks
from vision.packs.pack import with_pack
from vision.packs.row_layout import ORDER, LaidWrong, LayoutFault, parse_order
from vision.tracking.pipeline import FramePipeline
from vision.types import BACK, JOKER_CLASS, Detector, Frame, VisionError

#: Cards of one suit that are named each; of more only their number is said.
_NAMED = 3
#: Cards in each other's places that are named.
_WRONG = 4


class PackController:
    """Carries out the requests about packs. Pictures are learned beside the loop, in a thread of their own.

    `use_detector` is called with the detector to read cards with from now on.
    """

    def __init__(self, table: Table, detector: Detector, use_detector: Callable[[Detector], None]) -> None:
        """Begin without an enrolment; `detector` reads the cards now."""
        self._table, self._detector, self._use_detector = table, detector, use_detector
        self._enrolment: Enrolment | None = None
        self._frame: Frame | None = None
        self._work: tuple[BackgroundCall[Any], Callable[[Any], None]] | None = None
        self._was_paused = False
        self._by: EnrolmentNetworks | None = None
        with suppress(VisionError):
            self._by = enrolment_networks(with_pack(detector, None))
        _, _, used = detector.model_hash.partition("+")
        self._show(names=self._names(), used=used, able=self._by is not None)

    @property
    def on(self) -> bool:
        """Whether a pack is being enrolled; nothing is judged meanwhile."""
        return self._enrolment is not None

    # --- the loop -------------------------------------------------------------------------------------

    def see(self, frame: Frame | None, pipeline: FramePipeline) -> None:
        """Take the newest frame, or None where it shows nothing; find its cards unless a picture is being learned."""
        self._frame = frame if self.on else None
        if self._frame is not None and self._work is None:
            pipeline.see(self._frame)
            self._draw(seen=len(pipeline.cards))

    def poll(self) -> None:
        """Take over what was learned meanwhile."""
        if self._work is None or not self._work[0].done:
            return
        (call, then), self._work = self._work, None
        try:
            result = call.result()
        except VisionError as error:
            result = error
        then(result)

    # --- requests -------------------------------------------------------------------------------------

    @property
    def handlers(self) -> Handlers:
        """What carries out each request about packs."""
        return {
            BeginEnrolling: self._begin,
            UsePack: lambda request: self._use(request.name),
            ForgetPack: lambda request: self._forget(request.name),
            StopEnrolling: self._stop,
            TakePicture: self._take,
            KeepPack: self._keep,
            ShowEach: lambda request: self._go_on(replace(self._here(), each=request.each)),
            LeaveOut: lambda _: self._go_on(self._here().without_next()),
            TakeBack: lambda _: self._go_on(self._here().before or self._here()),
        }

    def check_judging(self) -> None:
        """Raises Refused while a pack is being enrolled."""
        if self.on:
            self._refuse("meanwhile")

    def _stop(self, _: StopEnrolling) -> str:
        self._here()
        return self._end(self._say("stopped"))

    def _begin(self, request: BeginEnrolling) -> str:
        self.check_judging()
        if self._by is None:
            self._refuse("unable")
        self._check_camera()
        try:
            enrolment = Enrolment(parse_order(request.order or ORDER))
        except VisionError:
            self._refuse("order", order=request.order)
        self._was_paused = self._table.status.paused
        self._enrolment, self._frame = enrolment, None
        self._use_detector(EnrolmentDetector(self._by))
        self._table.show(paused=True, trouble=self._say("meanwhile"))
        self._draw_anew()
        return self._say("begun")

    def _take(self, request: TakePicture) -> str:
        enrolment, by = self._here(), self._by
        self._check_idle()
        self._check_camera()
        frame = self._frame
        if frame is None or by is None:
            self._refuse("no_picture")
        image, says = frame.image.copy(), self._say("looking")

        def then(found: list[CutCard] | VisionError) -> None:
            if isinstance(found, VisionError):
                self._draw(
                    busy="", learned="", trouble=_describe_fault(found, self._words), doubted=_is_misplaced(found)
                )
                return
            self._enrolment = enrolment.with_cards(found)
            self._draw_anew(learned=describe_learned(enrolment, found, self._words))

        self._work = BackgroundCall(lambda: cut_next_cards(image, enrolment, by, request.sure), "enrolment"), then
        self._draw(busy=says, trouble="", learned="", doubted=False)
        return says

    def _keep(self, request: KeepPack) -> str:
        name, enrolment, by = request.name, self._here(), self._by
        self._check_idle()
        if enrolment.lacking or by is None:
            self._refuse("not_whole")
        folder = defaults.packs_folder()
        try:
            packs.pack_file(folder, name)
        except VisionError:
            self._refuse("name", name=name)

        def then(found: packs.Pack | VisionError) -> None:
            try:
                if isinstance(found, VisionError):
                    raise found
                self._detector = with_pack(self._detector, packs.save_pack(found, folder))
            except VisionError as error:
                self._draw(busy="", trouble=str(error))
                return
            self._show(names=self._names(), used=name)
            self._end(self._say("kept", name=name, n=len(enrolment.cards)))

        says = self._say("learning", n=len(enrolment.cards))
        self._work = BackgroundCall(lambda: build_pack(name, enrolment.cards, by), "enrolment"), then
        self._draw(busy=says, trouble="", learned="", doubted=False)
        return says

    def _use(self, name: str) -> str:
        self.check_judging()
        path = self._file_of(name) if name else None
        try:
            self._detector = with_pack(self._detector, path)
        except VisionError as error:
            raise Refused(str(error)) from None
        self._use_detector(self._detector)
        says = self._say("used", name=name) if name else self._say("none_used")
        self._show(names=self._names(), used=name, said=says)
        return says

    def _forget(self, name: str) -> str:
        self.check_judging()
        self._file_of(name)
        try:
            packs.delete_pack(defaults.packs_folder(), name)
        except VisionError as error:
            raise Refused(str(error)) from None
        if name == self._table.status.packs.used:
            self._use("")
        says = self._say("forgotten", name=name)
        self._show(names=self._names(), said=says)
        return says

    def _go_on(self, enrolment: Enrolment) -> str:
        self._check_idle()
        self._enrolment = enrolment
        self._draw_anew()
        return self._view().says

    def _end(self, says: str) -> str:
        """End the enrolment: the game goes on as it was, with the detector there is now."""
        self._enrolment = self._frame = self._work = None
        self._use_detector(self._detector)
        self._show(enrolling=None, said=says)
        self._table.show(paused=self._was_paused, trouble="")
        return says

    # --- within ---------------------------------------------------------------------------------------

    @property
    def _words(self) -> Words:
        return speak(self._table.now.language)

    def _say(self, key: str, **values: object) -> str:
        return self._words.say(f"page.enrol.{key}", **values)

    def _refuse(self, key: str, **values: object) -> NoReturn:
        raise Refused(self._say(f"refused.{key}", **values))

    def _here(self) -> Enrolment:
        if self._enrolment is None:
            self._refuse("not_begun")
        return self._enrolment

    def _check_idle(self) -> None:
        if self._work is not None:
            self._refuse("busy")

    def _check_camera(self) -> None:
        status = self._table.status
        if not status.camera.live:
            self._refuse("no_camera")
        if not status.camera.ok or status.phase is Phase.LOST:
            self._refuse("blind")

    def _names(self) -> tuple[str, ...]:
        return packs.list_packs(defaults.packs_folder())

    def _file_of(self, name: str) -> Path:
        """The file of an enrolled pack. Raises Refused."""
        if name not in self._names():
            self._refuse("unknown", name=name)
        return packs.pack_file(defaults.packs_folder(), name)

    def _view(self) -> EnrolView:
        return self._table.status.packs.enrolling or present_enrolment(self._here(), self._words)

    def _draw(self, **parts: Any) -> None:
        self._show(enrolling=replace(self._view(), **parts))

    def _draw_anew(self, learned: str = "") -> None:
        """Show the enrolment after its next step has changed."""
        seen = self._view().seen
        self._show(enrolling=replace(present_enrolment(self._here(), self._words), learned=learned, seen=seen), said="")

    def _show(self, **parts: Any) -> None:
        self._table.show(packs=replace(self._table.status.packs, **parts))


def _is_misplaced(error: VisionError) -> bool:
    return isinstance(error, LaidWrong) and error.misfit is LayoutFault.MISPLACED


def _describe_fault(error: VisionError, words: Words) -> str:
    """Why a picture was not taken, and what to do."""
    if not isinstance(error, LaidWrong):
        return str(error)
    values = error.values
    if error.misfit is LayoutFault.MISPLACED:
        wrong: tuple[tuple[str, str], ...] = values["wrong"]  # type: ignore[assignment]
        values = {"wrong": describe_misplaced(wrong, words)}
    return words.say(f"page.enrol.misfit.{error.misfit}", **values)


# --- what the page shows ------------------------------------------------------------------------------


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
        jokers=enrolment.count(JOKER_CLASS),
        backs=enrolment.count(BACK),
        each=enrolment.each,
        lacking=_lacking(enrolment, words),
        begun=enrolment.before is not None,
    )


def describe_learned(enrolment: Enrolment, found: Sequence[CutCard], words: Words) -> str:
    """One sentence on the cards that a picture taught."""
    after, codes = enrolment.with_cards(found), [code for code, _ in found]
    what = [*_spoken(enrolment, codes, words)]
    what += [
        words.say(f"page.enrol.extra.{code}", n=codes.count(code)) for code in (JOKER_CLASS, BACK) if codes.count(code)
    ]
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
        elif len(here) <= _NAMED:
            yield from map(words.card, here)
        else:
            yield words.say("page.enrol.some", n=len(here), suit=suit)


def describe_misplaced(wrong: Sequence[tuple[str, str]], words: Words) -> str:
    """Cards in each other's places, from pairs (code by the place, code read), at most _WRONG of them."""

    def named(code: str) -> str:
        return words.say("page.card.face_down") if code == BACK else words.card(code)

    said = [words.say("page.enrol.wrong", read=named(read), card=named(code)) for code, read in wrong[:_WRONG]]
    if len(wrong) > _WRONG:
        said.append(words.say("page.enrol.more_wrong", n=len(wrong) - _WRONG))
    return "; ".join(said)
