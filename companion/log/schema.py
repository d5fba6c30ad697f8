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

_SUMMARIES = """
CREATE TABLE summaries (           -- derived from inputs and rulings; may be deleted, it is worked out again
    session INTEGER PRIMARY KEY REFERENCES sessions(id),
    shape INTEGER NOT NULL,         -- which way of working them out; 0 while the game goes on
    winner TEXT NOT NULL,           -- empty where nobody has won
    end_kind TEXT NOT NULL,         -- why the game is over, as in a game_over ruling; empty where it is not
    rounds INTEGER NOT NULL,
    wars INTEGER NOT NULL,
    longest_war INTEGER NOT NULL,   -- ties of the longest war, and the input that decided it
    longest_war_look INTEGER NOT NULL,
    biggest_pot INTEGER NOT NULL,   -- cards, and the input that decided who takes them
    biggest_pot_look INTEGER NOT NULL,
    seconds REAL NOT NULL,          -- from the opening to the last ruling
    corrections INTEGER NOT NULL
)
"""

_PLAYER_SUMMARIES = """
CREATE TABLE player_summaries (    -- derived, one row a player and game
    session INTEGER NOT NULL REFERENCES sessions(id),
    seat INTEGER NOT NULL,          -- from 1, in the order of the players
    player TEXT NOT NULL,
    opened TEXT NOT NULL,           -- as in sessions, so that looking back needs no other table
    finished INTEGER NOT NULL,      -- 1: the game came to its end
    won INTEGER NOT NULL,           -- 1: won the game
    cards INTEGER NOT NULL,         -- at the end
    rounds_won INTEGER NOT NULL,
    wars_fought INTEGER NOT NULL,
    wars_won INTEGER NOT NULL,
    wars_survived INTEGER NOT NULL,
    longest_war INTEGER NOT NULL,
    longest_war_look INTEGER NOT NULL,
    best_pot INTEGER NOT NULL,
    best_pot_look INTEGER NOT NULL,
    low INTEGER NOT NULL,           -- fewest cards after any round
    judged INTEGER NOT NULL,        -- rounds in which everybody's first card is known, those of them won,
    judged_won INTEGER NOT NULL,    -- and the sum of the chances to win them with the card that was turned
    expected REAL NOT NULL,
    PRIMARY KEY (session, seat)
) WITHOUT ROWID
"""

_ACTS = """
CREATE TABLE acts (                -- what people did to the log itself
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,               -- local date and time with offset
    act TEXT NOT NULL,              -- "renamed"
    about TEXT NOT NULL,            -- JSON: what is needed to take it back
    undone TEXT                     -- when it was taken back
)
"""

_GAMES = """
CREATE VIEW games AS               -- for people with a database browser: a game in one row
SELECT s.id AS game, s.evening, s.opened, s.ended, s.variant,
    (SELECT group_concat(p.player, ', ') FROM player_summaries AS p WHERE p.session = s.id) AS players,
    m.winner, m.rounds, m.wars, m.longest_war, m.biggest_pot, m.seconds, m.corrections, s.note, s.uid
FROM sessions AS s LEFT JOIN summaries AS m ON m.session = s.id
WHERE s.removed IS NULL
"""

#: The evening a session belongs to: until five in the morning it is still the evening of the day before.
_EVENING = "date(substr(opened, 1, 19), '-5 hours')"
_VARIANT = "CASE WHEN json_valid(game) THEN json_extract(game, '$.variant') END"

#: Name of the SQL function that gives a session without one its name in every log; `database` defines it.
UID_FUNCTION = "session_uid"

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
    (
        "0002_summaries_notes_acts",
        (
            # What makes a session the same one in every log it is kept in, whatever number it has there.
            "ALTER TABLE sessions ADD COLUMN uid TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT ''",
            # When it was taken out of the list; it can be brought back until it is deleted for good.
            "ALTER TABLE sessions ADD COLUMN removed TEXT",
            f"ALTER TABLE sessions ADD COLUMN evening TEXT GENERATED ALWAYS AS ({_EVENING}) VIRTUAL",
            f"ALTER TABLE sessions ADD COLUMN variant TEXT GENERATED ALWAYS AS ({_VARIANT}) VIRTUAL",
            "CREATE INDEX sessions_by_evening ON sessions (evening, opened)",
            f"UPDATE sessions SET uid = {UID_FUNCTION}(opened, seats, game, (SELECT count(*) FROM sessions AS e "
            "WHERE e.evening IS sessions.evening AND e.opened = sessions.opened AND e.id < sessions.id))",
            "CREATE UNIQUE INDEX sessions_by_uid ON sessions (uid)",
            _SUMMARIES,
            _PLAYER_SUMMARIES,
            "CREATE INDEX sessions_by_variant ON sessions (variant)",
            # The few games that do not count, looking back.
            "CREATE INDEX sessions_not_counting ON sessions (id) WHERE removed IS NOT NULL OR ended IS NULL",
            "CREATE INDEX player_summaries_by_player ON player_summaries (player, session)",
            _ACTS,
            _GAMES,
        ),
    ),
)

#: The columns that reading needs, by table.
COLUMNS = {
    "sessions": {
        *(
            "id",
            "opened",
            "ended",
            "end_reason",
            "game",
            "source",
            "seats",
            "live",
            "program",
            "uid",
            "note",
            "removed",
        ),
    },
    "inputs": {"session", "look", "written", "mark", "by_whom", "input"},
    "rulings": {"id", "session", "seq", "look", "ruling", "model", "made_by", "replaced_by"},
    "pictures": {"id", "session", "look", "name", "jpeg"},
    "summaries": {"session", "shape", "winner", "rounds", "wars", "longest_war", "seconds"},
    "player_summaries": {"session", "seat", "player", "opened", "finished", "won", "rounds_won", "expected"},
    "acts": {"id", "at", "act", "about", "undone"},
}
