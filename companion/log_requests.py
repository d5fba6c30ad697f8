"""What people ask of the log from the page: names, notes, games that are removed or ended, pictures deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from companion.errors import Fault
from companion.log import games, store
from companion.log.incoming import Incoming, merge_session
from companion.log.store import Log, Session
from companion.referee.variants import as_said, check_name
from companion.table.requests import (
    BringBackGame,
    DeleteGame,
    DropPictures,
    DropPicturesBefore,
    DropPicturesOf,
    EndGame,
    ForgetPlayer,
    Handlers,
    Refused,
    RemoveGame,
    RenamePlayer,
    TakeBackRename,
    TakeIn,
    WriteNote,
)
from companion.table.session import LiveSession
from companion.table.table import Table
from companion.words import Words

#: Letters of a note.
LONGEST_NOTE = 2000


@dataclass(frozen=True, slots=True)
class LogRequests:
    """Carries out requests about the log, in the table thread. `reload` makes a session of the log one at the table."""

    log: Log
    table: Table
    words: Words
    reload: Callable[[Session], LiveSession]

    @property
    def handlers(self) -> Handlers:
        """What carries out each request."""
        return {
            DropPictures: self._drop_pictures,
            DropPicturesOf: self._drop_pictures_of,
            DropPicturesBefore: self._drop_pictures_before,
            EndGame: self._end,
            RemoveGame: self._remove,
            BringBackGame: self._bring_back,
            DeleteGame: self._delete,
            WriteNote: self._note,
            RenamePlayer: self._rename,
            TakeBackRename: self._take_back,
            ForgetPlayer: self._forget,
            TakeIn: self._take_in,
        }

    def _say(self, key: str, **values: Any) -> str:
        return self.words.say(f"page.sessions.done.{key}", **values)

    def _refuse(self, key: str, **values: Any) -> Refused:
        return Refused(self.words.say(f"page.sessions.refused.{key}", **values))

    def _session(self, number: int) -> Session:
        return store.load_session(self.log.path, number)

    # --- pictures -------------------------------------------------------------------------------------

    def _drop_pictures(self, request: DropPictures) -> str:
        return self._say("pictures", n=self._drop(request.session))

    def _drop_pictures_of(self, request: DropPicturesOf) -> str:
        numbers = games.sessions_of(self.log.path, request.evening)
        return self._say("pictures", n=sum(map(self._drop, numbers)))

    def _drop_pictures_before(self, request: DropPicturesBefore) -> str:
        return self._say("pictures", n=self.log.drop_pictures_before(request.day))

    def _drop(self, number: int) -> int:
        gone = self.log.drop_pictures(number)
        here = self.table.session
        if here is not None and here.id == number:
            self.table.resume(replace(here, pictures={}))
        return gone

    # --- games ----------------------------------------------------------------------------------------

    def _end(self, request: EndGame) -> str:
        number = self._session(request.session).id
        self.log.end_session(number, "ended by hand")
        self._leave(number)
        return self._say("ended", n=number)

    def _leave(self, number: int) -> None:
        """A session that is over or gone is not played on at the table."""
        if self.table.session is not None and self.table.session.id == number:
            self.table.leave()

    def _remove(self, request: RemoveGame) -> str:
        stored = self._session(request.session)
        if self.table.session is not None and self.table.session.id == stored.id and stored.ended is None:
            raise self._refuse("at_table", n=stored.id)
        self.log.remove_session(stored.id)
        self._leave(stored.id)
        return self._say("removed", n=stored.id)

    def _bring_back(self, request: BringBackGame) -> str:
        self.log.bring_back_session(self._session(request.session).id)
        return self._say("back", n=request.session)

    def _delete(self, request: DeleteGame) -> str:
        """Only a game that was removed before is deleted: one touch never loses one. Raises Refused."""
        if not self._session(request.session).removed:
            raise self._refuse("not_removed", n=request.session)
        self.log.delete_session(request.session)
        return self._say("deleted", n=request.session)

    def _note(self, request: WriteNote) -> str:
        self.log.write_note(self._session(request.session).id, request.note[:LONGEST_NOTE])
        return self._say("noted" if request.note else "unnoted", n=request.session)

    def _take_in(self, request: TakeIn) -> str:
        arrival, number = merge_session(self.log, cast(Incoming, request.incoming))
        return self.words.say(f"import.{arrival}", n=number)

    # --- players --------------------------------------------------------------------------------------

    def _rename(self, request: RenamePlayer) -> str:
        numbers = games.sessions_with(self.log.path, request.old)
        if not numbers:
            raise self._refuse("nobody", name=request.old)
        new = check_name(request.new, 1)
        if new == request.old:
            raise self._refuse("same_name", name=new)
        both = [n for n in numbers if self._is_another(self._session(n), request.old, new)]
        if both:
            raise self._refuse("together", old=request.old, new=new, n=both[0])
        merged = bool(games.sessions_with(self.log.path, new))
        self.log.rename_player(request.old, new, numbers)
        self._reload(numbers)
        return self._say("merged" if merged else "renamed", old=request.old, new=new, n=len(numbers))

    def _is_another(self, stored: Session, old: str, new: str) -> bool:
        """Whether somebody else in this game is called by the new name."""
        return any(as_said(name) == as_said(new) for name in stored.game["players"] if name != old)

    def _take_back(self, request: TakeBackRename) -> str:
        newest = games.last_rename(self.log.path)
        if newest is None or newest["id"] != request.act:
            raise self._refuse("no_rename")
        about = self.log.take_back_rename(request.act)
        self._reload(about["sessions"])
        return self._say("named_back", old=about["old"], new=about["new"])

    def _forget(self, request: ForgetPlayer) -> str:
        numbers = games.sessions_with(self.log.path, request.name)
        if not numbers:
            raise self._refuse("nobody", name=request.name)
        self.log.forget_player(request.name, {n: self._neutral(self._session(n), request.name) for n in numbers})
        self._reload(numbers)
        return self._say("forgotten", name=request.name, n=len(numbers))

    def _neutral(self, stored: Session, name: str) -> str:
        """A name that says nothing, and that nobody in this game has: "Player 2"."""
        players = stored.game["players"]
        taken = set(map(as_said, players))
        seats = [players.index(name) + 1, *range(1, 2 * len(players) + 1)]
        named = (self.words.say("page.game.player", n=seat) for seat in seats)
        return next(one for one in named if as_said(one) not in taken)

    def _reload(self, numbers: Any) -> None:
        """The session at the table goes on under its new names."""
        here = self.table.session
        if here is None or here.id not in numbers:
            return
        try:
            self.table.resume(self.reload(self._session(here.id)))
        except Fault:
            self.table.leave()
