"""The TLS certificate of this laptop: made here, signed by itself, kept so that a phone is asked about it once.

A browser gives the camera only to a page that came encrypted, and no authority signs for an address at home.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

KEY_FILE, CERTIFICATE_FILE = "table-key.pem", "table-certificate.pem"
#: Days that a certificate holds; Apple's systems refuse those of more than 398.
VALID_DAYS = 397
#: Days before its end at which it is made anew.
RENEW_DAYS = 30
#: Addresses that one certificate keeps, so that a laptop may go to and fro between networks.
MOST_NAMES = 24


def open_tls(folder: Path, names: Iterable[str]) -> tuple[ssl.SSLContext, str]:
    """What a server for these host names and addresses speaks TLS with, and the certificate's fingerprint.

    Key and certificate are made in `folder` where they are missing, damaged, about to end or for other addresses.
    Raises OSError where they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    key = _load_key(folder / KEY_FILE) or _make_key(folder / KEY_FILE)
    certificate = _load_certificate(folder / CERTIFICATE_FILE, key)
    wanted = set(names)
    if certificate is None or not wanted <= names_of(certificate) or _ends_soon(certificate):
        before = names_of(certificate) if certificate is not None else set()
        certificate = _sign(key, wanted | before if len(wanted | before) <= MOST_NAMES else wanted)
        _write(folder / CERTIFICATE_FILE, certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(folder / CERTIFICATE_FILE, folder / KEY_FILE)
    return context, certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def names_of(certificate: x509.Certificate) -> set[str]:
    """The host names and addresses that a certificate is for."""
    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in found}


def _load_key(path: Path) -> ec.EllipticCurvePrivateKey | None:
    with suppress(OSError, ValueError, TypeError):
        key = serialization.load_pem_private_key(path.read_bytes(), None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return key
    return None


def _make_key(path: Path) -> ec.EllipticCurvePrivateKey:
    key = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    _write(path, key.private_bytes(serialization.Encoding.PEM, *form))
    return key


def _load_certificate(path: Path, key: ec.EllipticCurvePrivateKey) -> x509.Certificate | None:
    with suppress(OSError, ValueError, x509.ExtensionNotFound):
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        if certificate.public_key() == key.public_key() and names_of(certificate):
            return certificate
    return None


def _ends_soon(certificate: x509.Certificate) -> bool:
    now = datetime.now(UTC)
    begun = certificate.not_valid_before_utc <= now
    return not begun or certificate.not_valid_after_utc < now + timedelta(days=RENEW_DAYS)


def _sign(key: ec.EllipticCurvePrivateKey, names: set[str]) -> x509.Certificate:
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "War Referee on this laptop")])
    now = datetime.now(UTC)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    return (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=VALID_DAYS - 1))
        .add_extension(x509.SubjectAlternativeName(list(map(_general_name, sorted(names)))), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _write(path: Path, data: bytes) -> None:
    """Replace a file whole; only its owner may read it."""
    new = path.with_suffix(".new")
    with suppress(FileNotFoundError):
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    new.replace(path)
