"""Devices that have joined over the network: the code of each role, a token for each device, a limit on guesses.

Nothing here outlives the sharing: codes and tokens are made anew each time and kept in memory only.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

#: Letters of a code: none that is taken for another when it is typed (Crockford's base 32, without U).
LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
#: Letters of a code that is scanned or typed: 30^8, about 2^39.
CODE_LETTERS = 8
#: Bytes of a device's token, 2^256.
_TOKEN_BYTES = 32
#: Wrong codes within `GUESS_S` seconds after which an address has to wait.
GUESSES = 8
#: The same for all addresses together: whoever has many of them guesses no faster.
GUESSES_OF_ALL = 40
GUESS_S = 60.0
#: Devices at once; a family and its friends are fewer.
MOST_GUESTS = 40
#: Letters of a device's name.
LONGEST_DEVICE = 24


class Role(StrEnum):
    """What a device may do: watch; correct, appeal and undo as well; or be the camera and nothing else."""

    VIEWER = "viewer"
    REFEREE = "referee"
    CAMERA = "camera"


class NotJoined(Exception):
    """A device may not join. `key` names the sentence in the catalogue under `page.join`."""

    def __init__(self, key: str) -> None:
        """Keep the key."""
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Guest:
    """One joined device: its name as it gave it, its role, and since when (seconds of the epoch)."""

    number: int
    name: str
    role: Role
    since: float


class Guests:
    """The devices that have joined. Any thread may call; `changed` is called after each change."""

    def __init__(self, changed: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic) -> None:
        """Nobody, and no code that would let anybody in. `clock` gives seconds, for the limit on guesses."""
        self._changed, self._clock = changed, clock
        self._lock = threading.Lock()
        self._codes: dict[Role, str] = {}
        self._joined: dict[bytes, Guest] = {}
        self._count = 0
        self._wrong: dict[str, deque[float]] = {}

    @property
    def codes(self) -> Mapping[Role, str]:
        """The code of each role; empty where nobody may join."""
        return dict(self._codes)

    @property
    def present(self) -> tuple[Guest, ...]:
        """Everybody who has joined, in the order of joining."""
        with self._lock:
            return tuple(self._joined.values())

    def open(self) -> None:
        """Make new codes; whoever had joined before has not any more."""
        with self._lock:
            self._joined = {}
            self._codes = {role: make_code() for role in Role}
        self._changed()

    def close(self) -> None:
        """Forget codes and devices."""
        with self._lock:
            self._joined, self._codes = {}, {}
        self._changed()

    def role_of(self, code: str, address: str) -> Role:
        """The role that a code gives. Raises NotJoined where there is none, or after too many wrong ones."""
        with self._lock:
            self._check_guesses(address)
            typed = "".join(sign for sign in code.upper() if sign.isalnum())
            found = [role for role, known in self._codes.items() if secrets.compare_digest(known, _ascii(typed))]
            if not found:
                self._wrong.setdefault(address, deque(maxlen=GUESSES)).append(self._clock())
                raise NotJoined("wrong_code")
        return found[0]

    def join(self, code: str, name: str, address: str) -> tuple[str, Guest]:
        """Let a device in by a code; gives its token and what is known of it. Raises NotJoined.

        `address` is the network address that the guess comes from.
        """
        role, token = self.role_of(code, address), secrets.token_urlsafe(_TOKEN_BYTES)
        with self._lock:
            if len(self._joined) >= MOST_GUESTS:
                raise NotJoined("full")
            self._count += 1
            guest = Guest(self._count, " ".join(name.split())[:LONGEST_DEVICE], role, time.time())
            self._joined[_hash(token)] = guest
        self._changed()
        return token, guest

    def find(self, token: str) -> Guest | None:
        """Whose token this is; None where it was never given, or is stale."""
        return self._joined.get(_hash(token))

    def has(self, guest: Guest) -> bool:
        """Whether the device is still joined."""
        return guest in self.present

    def remove(self, number: int) -> bool:
        """Make a device's token stale; False where there is no such device."""
        with self._lock:
            gone = [token for token, guest in self._joined.items() if guest.number == number]
            for token in gone:
                del self._joined[token]
        self._changed()
        return bool(gone)

    def _check_guesses(self, address: str) -> None:
        since = self._clock() - GUESS_S
        recent = {who: deque((at for at in times if at > since), GUESSES) for who, times in self._wrong.items()}
        self._wrong = {who: times for who, times in recent.items() if times}
        if len(self._wrong.get(address, ())) >= GUESSES or sum(map(len, self._wrong.values())) >= GUESSES_OF_ALL:
            raise NotJoined("too_many")


def make_code() -> str:
    """A code that nobody guesses within an evening at `GUESSES_OF_ALL` tries a minute."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))


def format_code(code: str) -> str:
    """The code in two groups, for reading aloud and typing.

    >>> format_code("K7QM3XPA")
    'K7QM-3XPA'
    """
    return f"{code[: CODE_LETTERS // 2]}-{code[CODE_LETTERS // 2 :]}"


def _ascii(text: str) -> str:
    return text if text.isascii() else ""


def _hash(token: str) -> bytes:
    # A look-up by hash takes the same time whatever is guessed.
    return sha256(token.encode("utf-8", "replace")).digest()
