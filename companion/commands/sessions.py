"""`warref sessions`, `export`, `backup` and `restore`: the family log, and everything to take away."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import suppress
from datetime import date
from pathlib import Path

from companion import defaults
from companion.commands._options import EVERY_SESSION
from companion.console import out, tell
from companion.errors import Fault, WrongWords, reason
from companion.log.backup import BackupThere, back_up_log, restore_log
from companion.log.export import FORMATS, LOG_FORMATS
from companion.log.export.bgstats import play_link, stored_play
from companion.log.games import GameFilter, GameRow, find_games
from companion.referee.codec import Json
from companion.referee.events import DRAW
from companion.words import Words

#: Games that are read from the log at once.
_AT_ONCE = 500


def log_path(options: argparse.Namespace) -> Path:
    """The log that the call names, or the family's own."""
    return options.log or defaults.default_log()


def sessions(options: argparse.Namespace, words: Words) -> int:
    """List the sessions, newest first."""
    return list_games(options, words, GameFilter())


def list_games(options: argparse.Namespace, words: Words, wanted: GameFilter) -> int:
    """Print the games that are wanted, newest first; 0."""
    found, page = find_games(log_path(options), wanted, 1, _AT_ONCE), 1
    if not found.total:
        every = wanted == GameFilter()
        tell(words.say("sessions.none", path=log_path(options)) if every else words.say("page.sessions.nothing"))
    while found.rows or found.damaged:
        for number in found.damaged:
            tell(words.say("sessions.damaged", n=number))
        for game in found.rows:
            row = _row(game)
            out(row if options.json else _in_words(row, words))
        page += 1
        found = find_games(log_path(options), wanted, page, _AT_ONCE)
    return 0


def _row(game: GameRow) -> Json:
    it = game.session
    return {
        "session": it.id,
        "opened": it.opened,
        "ended": it.ended,
        "variant": it.game["variant"],
        "players": it.game["players"],
        "rounds": game.rounds,
        "winner": game.winner or (DRAW if game.over else None),
    }


def _in_words(row: Json, words: Words) -> str:
    rounds = words.say("sessions.rounds", n=row["rounds"])
    winner = words.say("sessions.winner", winner=row["winner"]) if row["winner"] else ""
    end = "" if row["ended"] else words.say("sessions.open")
    parts = (
        words.moment(row["opened"]),
        words.say(f"variant.{row['variant']}"),
        words.names(row["players"]),
        rounds,
        winner,
        end,
    )
    return f"{row['session']:>4}  " + "  ".join(filter(None, parts))


def export(options: argparse.Namespace, words: Words) -> int:
    """Write a session, or all of them, in one of the formats. Raises Fault where the file cannot be written."""
    made = _made(options, log_path(options), words)
    if options.out is None:
        if options.format == "png":
            raise WrongWords(words.say("export.needs_file"))
        out(made.decode(errors="backslashreplace").rstrip("\n"))
        return 0
    try:
        # Bytes, so that the line ends of a table stay what they are on every system.
        _write(options.out, made)
    except OSError as error:
        raise Fault(f"{options.out} cannot be written: {reason(error)}.") from None
    return 0


def _write(path: Path, data: bytes) -> None:
    """The file whole, or as it was before."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    whole = Path(os.path.realpath(path))
    part = whole.with_name(f"{whole.name}.part")
    try:
        part.write_bytes(data)
        part.replace(whole)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _made(options: argparse.Namespace, path: Path, words: Words) -> bytes:
    """What is to be written. Raises WrongWords where a format is not one of a session, or of the whole log."""
    every = options.session == EVERY_SESSION
    known = LOG_FORMATS if every else FORMATS
    if options.format not in known:
        key = "export.of_all" if every else "export.of_one"
        raise WrongWords(words.say(key, format=options.format, formats=", ".join(known)))
    if every:
        return known[options.format].export_all(path, words)
    if options.format == "bgstats" and options.json:
        play = stored_play(path, options.session, words)
        return (json.dumps({"link": play_link(play), "play": play}, ensure_ascii=False) + "\n").encode()
    return known[options.format].export(path, options.session, words, _shrink)


def _shrink(picture: bytes) -> bytes:
    from vision.images import shrink_jpeg  # OpenCV, which only pictures need

    return shrink_jpeg(picture)


# --- the whole log ------------------------------------------------------------------------------------


def backup(options: argparse.Namespace, words: Words) -> int:
    """Write the backup; into a folder under a name with the date. Raises Fault where a file of the name is there."""
    target = options.file or Path()
    if target.is_dir():
        target /= f"war-referee-{date.today().isoformat()}.db"
    try:
        sessions = back_up_log(log_path(options), target)
    except BackupThere:
        raise Fault(words.say("backup.there", file=target)) from None
    said = {"file": str(target), "sessions": sessions}
    out(said if options.json else words.say("backup.done", file=target, sessions=sessions))
    return 0


def restore(options: argparse.Namespace, words: Words) -> int:
    """Put a backup in place of the log, which is kept under another name."""
    path = log_path(options)
    before = restore_log(options.file, path)
    if options.json:
        out({"log": str(path), "before": str(before) if before else None})
    else:
        key = "backup.restored_over" if before else "backup.restored"
        out(words.say(key, file=options.file, log=path, before=before or ""))
    return 0
