"""Sharing on this network: opened by a person at the laptop, off at the start, off again at the exit.

`Sharing` says which address is shared and who has joined; `Listener` is the server that listens there.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol, cast

import ifaddr
from flask import current_app

from companion.web.sharing.guests import Guest, Guests, Role

#: Seconds between two looks at the laptop's own addresses.
_FOLLOW_S = 3.0
#: Ports that are tried behind the page's own, so that a phone finds the table where it was.
_PORTS = 8
#: An address that no packet is sent to: the system only says which of its own it would send from.
_ELSEWHERE = ("203.0.113.1", 9)


class CannotShare(Exception):
    """The table cannot be shared. `key` names the sentence in the catalogue under `page.share.refused`."""

    def __init__(self, key: str) -> None:
        """Keep the key."""
        super().__init__(key)
        self.key = key


class Listener(Protocol):
    """A server that can listen at a second address. May be called from any thread but its own."""

    port: int

    def listen(self, address: str, port: int, tls: ssl.SSLContext) -> int:
        """Listen there; gives the port. Raises OSError."""

    def stop_listening(self) -> None:
        """Listen there no more; every connection that came that way is cut."""

    def cut(self) -> None:
        """Cut the streams of devices that are not joined any more."""


@dataclass(frozen=True, slots=True)
class SharingView:
    """What the page of sharing shows; replaced whole at every change. `address` is empty while nothing is shared.

    `elsewhere` are the laptop's other addresses, `moved` is true where the network changed while it was shared.
    """

    address: str = ""
    port: int = 0
    guests: tuple[Guest, ...] = ()
    codes: Mapping[Role, str] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()
    fingerprint: str = ""
    moved: bool = False

    @property
    def on(self) -> bool:
        """Whether the table is shared."""
        return bool(self.address)

    @property
    def origin(self) -> str:
        """The address without a path, as `https://192.168.1.5:8766`."""
        return f"https://{self.address}:{self.port}"


def list_addresses() -> tuple[str, ...]:
    """This laptop's addresses in home networks, the one that it reaches others by first."""
    found = [str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4]
    private = [one for one in found if IPv4Address(one).is_private and not _is_own(IPv4Address(one))]
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        trial.connect(_ELSEWHERE)
        private.sort(key=lambda one: one != trial.getsockname()[0])
    return tuple(dict.fromkeys(private))


def _is_own(address: IPv4Address) -> bool:
    """Whether an address leads to nobody else, or was taken for want of a network."""
    return address.is_loopback or address.is_link_local


class Sharing:
    """The second address of one page. `keys` is the folder of its certificate, None where it cannot be shared."""

    def __init__(self, keys: Path | None, addresses: Callable[[], tuple[str, ...]] = list_addresses) -> None:
        """Not shared; `listener` is set by the server."""
        self.listener: Listener | None = None
        self.view = SharingView()
        self.guests = Guests(self._show_guests)
        self._keys, self._addresses = keys, addresses
        self._lock = threading.RLock()
        self._ended = threading.Event()

    # --- at the laptop --------------------------------------------------------------------------------

    def start(self, address: str = "") -> None:
        """Share at `address`, or the one that others reach this laptop by. Raises CannotShare."""
        with self._lock:
            self.stop()
            self._open(address)
            self.guests.open()
            self._ended = threading.Event()
            threading.Thread(target=self._follow, args=(self._ended,), name="network", daemon=True).start()

    def stop(self) -> None:
        """Share no more: tokens are stale, connections are cut."""
        with self._lock:
            self._ended.set()
            self.guests.close()
            if self.listener is not None and self.view.on:
                self.listener.stop_listening()
            self.view = SharingView()

    def remove(self, number: int) -> bool:
        """Send a device away: its token is stale, its streams are cut. False where there is no such device."""
        known = self.guests.remove(number)
        if self.listener is not None:
            self.listener.cut()
        return known

    # --- for the guard --------------------------------------------------------------------------------

    def is_host(self, host: str) -> bool:
        """Whether a Host header (with its port) names the shared address."""
        view = self.view
        name, _, port = host.lower().rpartition(":")
        return view.on and port == str(view.port) and name in {view.address, *local_names()}

    # --- within ---------------------------------------------------------------------------------------

    def _open(self, address: str = "", moved: bool = False) -> None:
        from companion.web.sharing.certificate import open_tls  # loads slowly, and most evenings nothing is shared

        here = self._addresses()
        if self._keys is None or self.listener is None:
            raise CannotShare("unable")
        if not here or (address and address not in here):
            raise CannotShare("no_network")
        chosen = address or here[0]
        try:
            tls, fingerprint = open_tls(self._keys, (chosen, *local_names()))
        except OSError:
            raise CannotShare("no_certificate") from None
        port = self._bind(chosen, tls)
        elsewhere = tuple(one for one in here if one != chosen)
        self.view = SharingView(
            chosen, port, self.guests.present, self.guests.codes, elsewhere, fingerprint, moved=moved
        )

    def _bind(self, address: str, tls: ssl.SSLContext) -> int:
        listener = cast(Listener, self.listener)
        for port in (*range(listener.port + 1, listener.port + 1 + _PORTS), 0):
            with suppress(OSError, OverflowError):
                return listener.listen(address, port, tls)
        raise CannotShare("no_port")

    def _show_guests(self) -> None:
        with self._lock:
            old = self.view
            if old.on:
                self.view = replace(old, guests=self.guests.present, codes=self.guests.codes)

    def _follow(self, ended: threading.Event) -> None:
        """Follow the laptop into another network: the old address is gone with the cable or the Wi-Fi."""
        while not ended.wait(_FOLLOW_S):
            with self._lock:
                if ended.is_set() or self.view.address in (here := self._addresses()) or not here:
                    continue
                if self.listener is not None:
                    self.listener.stop_listening()
                try:
                    self._open(moved=True)
                except CannotShare:
                    self.stop()


def local_names() -> tuple[str, ...]:
    """What this laptop may be called in its network, in lower case."""
    name = socket.gethostname().lower().partition(".")[0]
    return (name, f"{name}.local") if name.isascii() and name.replace("-", "").isalnum() else ()


def sharing() -> Sharing:
    """The sharing of the page that answers this request."""
    return cast(Sharing, current_app.extensions["war-referee-sharing"])
