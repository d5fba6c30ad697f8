"""The certificate made for this laptop: kept, renewed, and read by nobody else."""

from __future__ import annotations

import datetime
import os
import ssl

import pytest

from companion.web.sharing import certificate
from companion.web.sharing.certificate import CERTIFICATE_FILE, KEY_FILE, MOST_NAMES, VALID_DAYS, names_of, open_tls

x509 = pytest.importorskip("cryptography.x509")
HOME, OFFICE = ("192.168.1.5", "laptop.local"), ("10.0.0.7", "laptop.local")


def load(folder):
    return x509.load_pem_x509_certificate((folder / CERTIFICATE_FILE).read_bytes())


def test_it_is_for_the_names_and_addresses_and_short_enough_for_apple(tmp_path):
    context, fingerprint = open_tls(tmp_path / "keys", HOME)
    made = load(tmp_path / "keys")
    assert names_of(made) == set(HOME)
    assert made.not_valid_after_utc - made.not_valid_before_utc == datetime.timedelta(days=VALID_DAYS)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert len(fingerprint) == 32 * 3 - 1 and fingerprint.upper() == fingerprint
    assert made.version is x509.Version.v3


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps files of a user's folder to that user by other means")
def test_nobody_else_reads_the_key(tmp_path):
    open_tls(tmp_path, HOME)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_it_is_kept_so_that_a_phone_is_asked_once(tmp_path):
    first = open_tls(tmp_path, HOME)[1]
    assert open_tls(tmp_path, HOME)[1] == first
    assert open_tls(tmp_path, HOME[:1])[1] == first


def test_a_new_address_renews_it_and_keeps_the_key_and_the_old_address(tmp_path):
    first, key = open_tls(tmp_path, HOME)[1], (tmp_path / KEY_FILE).read_bytes()
    second = open_tls(tmp_path, OFFICE)[1]
    assert second != first and (tmp_path / KEY_FILE).read_bytes() == key
    assert names_of(load(tmp_path)) == {*HOME, *OFFICE}
    assert open_tls(tmp_path, HOME)[1] == second
    open_tls(tmp_path, [f"10.1.0.{n}" for n in range(MOST_NAMES)])
    assert len(names_of(load(tmp_path))) == MOST_NAMES


def test_it_is_renewed_before_it_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(certificate, "VALID_DAYS", certificate.RENEW_DAYS)
    first = open_tls(tmp_path, HOME)[1]
    monkeypatch.undo()
    assert open_tls(tmp_path, HOME)[1] != first


@pytest.mark.parametrize("file", [KEY_FILE, CERTIFICATE_FILE])
@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_a_damaged_file_is_made_anew(tmp_path, file, content):
    open_tls(tmp_path, HOME)
    (tmp_path / file).write_bytes(content)
    open_tls(tmp_path, HOME)
    assert names_of(load(tmp_path)) == set(HOME)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "keys").write_text("a file in its place")
    with pytest.raises(OSError):
        open_tls(tmp_path / "keys", HOME)
