"""The shape of the log, one step a version. Steps are only added; a released step never changes."""

from __future__ import annotations

#: Marks the file as ours ("WARR"), so that another program's database is never written to.
APPLICATION_ID = 0x57415252

SESSIONS = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    opened TEXT NOT NULL,           -- local date and time with offset
    ended TEXT,
    end_reason TEXT,
    game TEXT NOT NULL,             -- JSON: variant, players, set, counts
    source TEXT NOT NULL,
    seats TEXT NOT NULL,
    live INTEGER NOT NULL,
    program TEXT NOT NULL           -- version of the program that opened it
)
"""

INPUTS = """
CREATE TABLE inputs (
    session INTEGER NOT NULL REFERENCES sessions(id),
    look INTEGER NOT NULL,          -- number in the history, from 1
    written TEXT NOT NULL,
    mark REAL,                      -- place in the source: line, picture or second; NULL for a person's act
    by_whom TEXT NOT NULL,
    input TEXT NOT NULL,            -- JSON, a line of a looks script
    PRIMARY KEY (session, look)
) WITHOUT ROWID
"""

RULINGS = """
CREATE TABLE rulings (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions(id),
    seq INTEGER NOT NULL,
    look INTEGER NOT NULL,
    kind TEXT NOT NULL,
    ruling TEXT NOT NULL,           -- JSON, a line of `watch --json` without its text
    model TEXT NOT NULL,            -- hash of the weights that read the cards, empty without a camera
    made_by INTEGER NOT NULL,       -- the input whose arrival derived it
    replaced_by INTEGER             -- the input whose arrival derived another history without it
)
"""

_PICTURES = """
CREATE TABLE pictures (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions(id),
    look INTEGER NOT NULL,
    name TEXT NOT NULL,             -- "table", or the player and place of one card
    jpeg BLOB NOT NULL,
    UNIQUE (session, look, name)
)
"""

#: Name and statements of each step, oldest first.
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "0001_sessions_inputs_rulings_pictures",
        (
            SESSIONS,
            INPUTS,
            RULINGS,
            "CREATE UNIQUE INDEX rulings_in_force ON rulings (session, seq) WHERE replaced_by IS NULL",
            "CREATE INDEX rulings_of_session ON rulings (session, id)",
            _PICTURES,
        ),
    ),
)

#: The columns that reading needs, by table.
COLUMNS = {
    "sessions": {"id", "opened", "ended", "end_reason", "game", "source", "seats", "live"},
    "inputs": {"session", "look", "written", "mark", "by_whom", "input"},
    "rulings": {"id", "session", "seq", "look", "ruling", "model", "made_by", "replaced_by"},
    "pictures": {"id", "session", "look", "name", "jpeg"},
}
