"""A pack enrolled before the running camera: pictures are learned beside the loop, and the eyes change over to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from companion import defaults
from companion.packs.lesson import Lesson
from companion.packs.presenter import cards_named, learned, view
from companion.table.enrolment_view import (
    BeginEnrolling,
    EnrolView,
    ForgetPack,
    KeepPack,
    LeaveOut,
    ShowEach,
    Step,
    StopEnrolling,
    TakeBack,
    TakePicture,
    UsePack,
)
from companion.table.requests import Act, Pause, Refused
from companion.table.session import Phase
from companion.table.table import Table
from companion.words import Words, speak
from vision.packs import pack as packs
from vision.packs.enrol import (
    Card,
    EnrolmentDetector,
    EnrolmentNetworks,
    build_pack,
    cut_alike_cards,
    cut_cards_of_rows,
    cut_shown_card,
    enrolment_networks,
)
from vision.packs.pack import with_pack
from vision.packs.row_layout import ORDER, LaidWrong, LayoutFault, parse_order
from vision.tracking.pipeline import FramePipeline
from vision.types import Detector, Frame, Image, VisionError


class Enrolling:
    """The packs of one table. `look_with` is told which eyes to use from now on."""

    def __init__(self, table: Table, detector: Detector, look_with: Callable[[Detector], None]) -> None:
        """Nothing is being enrolled; `detector` looks."""
        self._table, self._detector, self._look_with = table, detector, look_with
        self._lesson: Lesson | None = None
        self._frame: Frame | None = None
        self._work: _Work | None = None
        self._was_paused = False
        self._by: EnrolmentNetworks | None = None
        with suppress(VisionError):
            self._by = enrolment_networks(with_pack(detector, None))
        _, _, used = detector.model_hash.partition("+")
        self._show(names=self._names(), used=used, able=self._by is not None)

    @property
    def on(self) -> bool:
        """Whether a pack is being enrolled, so that nothing is judged."""
        return self._lesson is not None

    # --- the loop -------------------------------------------------------------------------------------

    def see(self, frame: Frame | None, eyes: FramePipeline) -> None:
        """The newest frame, or None where it shows nothing; its cards are outlined unless a picture is worked at."""
        self._frame = frame if self.on else None
        if self._frame is not None and self._work is None:
            eyes.see(self._frame)
            self._draw(seen=len(eyes.cards))

    def look_after(self) -> None:
        """Take over what was worked out meanwhile."""
        work = self._work
        if work is not None and not work.thread.is_alive():
            self._work = None
            work.then()

    # --- what people ask ------------------------------------------------------------------------------

    def asked(self, act: Act) -> str | None:
        """Carry out what concerns packs; None for everything else. Raises Refused."""
        match act:
            case Pause():
                self._refuse("meanwhile")
            case BeginEnrolling():
                return self._begin(act.order)
            case UsePack():
                return self._use(act.name)
            case ForgetPack():
                return self._forget(act.name)
            case StopEnrolling():
                self._here()
                return self._end(self._say("stopped"))
            case TakePicture():
                return self._take(act.sure)
            case KeepPack():
                return self._keep(act.name)
            case ShowEach():
                return self._go_on(replace(self._here(), each=act.each))
            case LeaveOut():
                return self._go_on(self._here().without_next())
            case TakeBack():
                return self._go_on(self._here().before or self._here())
        return None

    def _begin(self, order: str) -> str:
        if self.on:
            self._refuse("meanwhile")
        if self._by is None:
            self._refuse("unable")
        self._check_camera()
        try:
            lesson = Lesson(parse_order(order or ORDER))
        except VisionError:
            self._refuse("order", order=order)
        self._was_paused = self._table.watching.paused
        self._lesson, self._frame = lesson, None
        self._look_with(EnrolmentDetector(self._by))
        self._table.show(replace(self._table.watching, paused=True, trouble=self._say("meanwhile")))
        self._draw_anew()
        return self._say("begun")

    def _take(self, sure: bool) -> str:
        lesson, by = self._here(), self._by
        self._check_idle()
        self._check_camera()
        frame = self._frame
        if frame is None or by is None:
            self._refuse("no_picture")
        image, says = frame.image.copy(), self._say("looking")

        def then(found: list[Card] | VisionError) -> None:
            if isinstance(found, VisionError):
                self._draw(busy="", learned="", trouble=_said(found, self._words), doubted=_doubted(found))
                return
            self._lesson = lesson.with_cards(found)
            self._draw_anew(learned=learned(lesson, found, self._words))

        self._work = _Work(lambda: _taken(image, lesson, by, sure), then)
        self._draw(busy=says, trouble="", learned="", doubted=False)
        return says

    def _keep(self, name: str) -> str:
        lesson, by = self._here(), self._by
        self._check_idle()
        if lesson.lacking or by is None:
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
            self._end(self._say("kept", name=name, n=len(lesson.cards)))

        says = self._say("learning", n=len(lesson.cards))
        self._work = _Work(lambda: build_pack(name, lesson.cards, by), then)
        self._draw(busy=says, trouble="", learned="", doubted=False)
        return says

    def _use(self, name: str) -> str:
        if self.on:
            self._refuse("meanwhile")
        path = self._file_of(name) if name else None
        try:
            self._detector = with_pack(self._detector, path)
        except VisionError as error:
            raise Refused(str(error)) from None
        self._look_with(self._detector)
        says = self._say("used", name=name) if name else self._say("none_used")
        self._show(names=self._names(), used=name, said=says)
        return says

    def _forget(self, name: str) -> str:
        if self.on:
            self._refuse("meanwhile")
        self._file_of(name)
        try:
            packs.delete_pack(defaults.packs_folder(), name)
        except VisionError as error:
            raise Refused(str(error)) from None
        if name == self._table.watching.packs.used:
            self._use("")
        says = self._say("forgotten", name=name)
        self._show(names=self._names(), said=says)
        return says

    def _go_on(self, lesson: Lesson) -> str:
        self._check_idle()
        self._lesson = lesson
        self._draw_anew()
        return self._view().says

    def _end(self, says: str) -> str:
        """The game goes on as it was, with the eyes there are now."""
        self._lesson = self._frame = self._work = None
        self._look_with(self._detector)
        self._show(enrolling=None, said=says)
        self._table.show(replace(self._table.watching, paused=self._was_paused, trouble=""))
        return says

    # --- within ---------------------------------------------------------------------------------------

    @property
    def _words(self) -> Words:
        return speak(self._table.now.language)

    def _say(self, key: str, **values: object) -> str:
        return self._words.say(f"page.enrol.{key}", **values)

    def _refuse(self, key: str, **values: object) -> NoReturn:
        raise Refused(self._say(f"refused.{key}", **values))

    def _here(self) -> Lesson:
        if self._lesson is None:
            self._refuse("not_begun")
        return self._lesson

    def _check_idle(self) -> None:
        if self._work is not None:
            self._refuse("busy")

    def _check_camera(self) -> None:
        watching = self._table.watching
        if not watching.camera.live:
            self._refuse("no_camera")
        if not watching.camera.ok or watching.phase is Phase.LOST:
            self._refuse("blind")

    def _names(self) -> tuple[str, ...]:
        return packs.list_packs(defaults.packs_folder())

    def _file_of(self, name: str) -> Path:
        """Of a pack there is. Raises Refused."""
        if name not in self._names():
            self._refuse("unknown", name=name)
        return packs.pack_file(defaults.packs_folder(), name)

    def _view(self) -> EnrolView:
        return self._table.watching.packs.enrolling or view(self._here(), self._words)

    def _draw(self, **parts: object) -> None:
        self._show(enrolling=replace(self._view(), **parts))  # type: ignore[arg-type]

    def _draw_anew(self, learned: str = "") -> None:
        """What is to be laid has changed."""
        seen = self._view().seen
        self._show(enrolling=replace(view(self._here(), self._words), learned=learned, seen=seen), said="")

    def _show(self, **parts: object) -> None:
        watching = self._table.watching
        self._table.show(replace(watching, packs=replace(watching.packs, **parts)))  # type: ignore[arg-type]


def _taken(image: Image, lesson: Lesson, by: EnrolmentNetworks, sure: bool) -> list[Card]:
    """The cards of a picture, as they lie in it. Raises LaidWrong."""
    match lesson.step:
        case Step.CARD:
            return cut_shown_card(image, by, lesson.lay[0], sure)
        case Step.JOKERS | Step.BACK:
            return cut_alike_cards(image, by, lesson.lay[0], sure)
    return cut_cards_of_rows(image, by, lesson.order, lesson.done, sure)[0]


def _doubted(error: VisionError) -> bool:
    return isinstance(error, LaidWrong) and error.misfit is LayoutFault.MISPLACED


def _said(error: VisionError, words: Words) -> str:
    """Why a picture was not taken, and what to do."""
    if not isinstance(error, LaidWrong):
        return str(error)
    values = error.values
    if error.misfit is LayoutFault.MISPLACED:
        wrong: tuple[tuple[str, str], ...] = values["wrong"]  # type: ignore[assignment]
        values = {"wrong": cards_named(wrong, words)}
    return words.say(f"page.enrol.misfit.{error.misfit}", **values)


class _Work:
    """Something worked out in a thread of its own; `then` is given the result, or the VisionError it ended with."""

    def __init__(self, do: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self._do, self._then = do, then
        self._result: Any = None
        self._fault: Exception | None = None
        self.thread = threading.Thread(target=self._run, name="enrolling", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._result = self._do()
        except VisionError as error:
            self._result = error
        except Exception as error:  # raised again by the loop, which waits for it
            self._fault = error

    def then(self) -> None:
        """Hand over what came of it."""
        if self._fault is not None:
            raise self._fault
        self._then(self._result)
