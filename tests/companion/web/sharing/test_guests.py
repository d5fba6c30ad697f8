"""Codes, tokens and the limit on guesses."""

from __future__ import annotations

import pytest

from companion.web.sharing.guests import (
    CODE_LETTERS,
    GUESS_S,
    GUESSES,
    GUESSES_OF_ALL,
    LETTERS,
    LONGEST_DEVICE,
    MOST_GUESTS,
    Guests,
    NotJoined,
    Role,
    format_code,
)

PHONE = "192.168.1.20"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guests(clock):
    guests = Guests(clock=clock)
    guests.open()
    return guests


def refused(guests, code, address=PHONE):
    with pytest.raises(NotJoined) as refusal:
        guests.role_of(code, address)
    return refusal.value.key


def test_nobody_joins_before_the_table_is_shared():
    guests = Guests()
    assert not guests.codes
    assert refused(guests, "") == refused(guests, "2222-2222") == "wrong_code"


@pytest.mark.parametrize("role", list(Role))
def test_a_code_gives_its_role_however_it_is_typed(guests, role):
    code = guests.codes[role]
    assert len(code) == CODE_LETTERS and set(code) <= set(LETTERS)
    for typed in (code, code.lower(), format_code(code), f" {format_code(code)} "):
        assert guests.role_of(typed, PHONE) is role
    token, guest = guests.join(code, "  Ana's\n phone " + "x" * 50, PHONE)
    assert guest.role is role and guest.name.startswith("Ana's phone x") and len(guest.name) == LONGEST_DEVICE
    assert guests.find(token) == guest and guests.has(guest)


def test_every_device_has_a_token_of_its_own_and_is_removed_alone(guests):
    code = guests.codes[Role.VIEWER]
    (first, ana), (second, ben) = guests.join(code, "a", PHONE), guests.join(code, "b", PHONE)
    assert first != second and len(first) >= 43
    assert guests.present == (ana, ben)
    assert guests.remove(ana.number) and not guests.remove(ana.number)
    assert guests.find(first) is None and not guests.has(ana)
    assert guests.find(second) == ben


def test_tokens_and_codes_are_stale_once_the_sharing_ends(guests):
    codes = dict(guests.codes)
    token, guest = guests.join(codes[Role.REFEREE], "a", PHONE)
    guests.close()
    assert guests.find(token) is None and not guests.has(guest) and not guests.codes
    guests.open()
    assert guests.find(token) is None
    assert all(refused(guests, code) == "wrong_code" for code in codes.values())


@pytest.mark.parametrize("token", ["", "x", "é" * 40, "\ud800"])
def test_a_token_that_was_never_given_is_nobody(guests, token):
    assert guests.find(token) is None


def test_guesses_of_one_address_are_limited_and_forgiven_in_time(guests, clock):
    for _ in range(GUESSES):
        assert refused(guests, "ÄÖÜ2-2222") == "wrong_code"
    right = guests.codes[Role.REFEREE]
    assert refused(guests, "2222-2222") == refused(guests, right) == "too_many"
    assert guests.role_of(right, "192.168.1.21") is Role.REFEREE
    clock.now += GUESS_S + 1
    assert guests.role_of(right, PHONE) is Role.REFEREE


def test_many_addresses_guess_no_faster(guests, clock):
    keys = [refused(guests, "2222-2222", f"10.0.{n}.1") for n in range(GUESSES_OF_ALL + 5)]
    assert keys == ["wrong_code"] * GUESSES_OF_ALL + ["too_many"] * 5
    clock.now += GUESS_S + 1
    assert refused(guests, "2222-2222", "10.0.99.1") == "wrong_code"
    assert len(guests._wrong) == 1


def test_devices_have_a_limit(guests):
    for n in range(MOST_GUESTS):
        guests.join(guests.codes[Role.VIEWER], str(n), PHONE)
    with pytest.raises(NotJoined, match="full"):
        guests.join(guests.codes[Role.VIEWER], "one more", PHONE)
