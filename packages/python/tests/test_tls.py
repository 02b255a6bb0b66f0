"""Connections over TLS: verified by what the machine trusts, or by the context that is given."""

import datetime
import ipaddress
import json
import ssl
from pathlib import Path

import pytest
from conftest import Setting, refusal_of, short_requests
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from issuer import AUDIENCE, claims_of, mint
from service import INTROSPECTION_PATH, KEYS_PATH, Answer, Handler

from mintmark_auth import Hooks, Verifier


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """A file with a certificate for 127.0.0.1, and its key beside it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    (tmp_path / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    return tmp_path / "certificate.pem"


@pytest.fixture
def issuer(setting: Setting, authority: Path) -> str:
    """The service over TLS."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(authority, authority.with_name("key.pem"))
    setting.service.server.socket = server.wrap_socket(setting.service.server.socket, server_side=True)
    return setting.service.issuer.replace("http:", "https:")


def test_a_certificate_is_verified_by_the_context_that_is_given(setting: Setting, authority: Path, issuer: str) -> None:
    token = mint(setting.key, issuer, setting.clock.wall_ms / 1000)
    problems: list[str] = []
    untrusting = Verifier(issuer, AUDIENCE, mode="offline", hooks=Hooks(failed=problems.append))
    assert refusal_of(lambda: untrusting.verify(token)).refusal == "keys_unavailable"
    assert problems == ["The key set could not be read: The request failed: SSLCertVerificationError"]
    trusting = Verifier(issuer, AUDIENCE, mode="offline", ssl_context=ssl.create_default_context(cafile=authority))
    assert trusting.verify(token).by == "signature"


def test_an_answer_without_an_end_is_interrupted_over_tls_too(
    monkeypatch: pytest.MonkeyPatch, setting: Setting, authority: Path, issuer: str
) -> None:
    short_requests(monkeypatch, 0.4)
    token = mint(setting.key, issuer, setting.clock.wall_ms / 1000)
    setting.service.answer(KEYS_PATH, lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\nx: ", b"x"))
    verifier = Verifier(issuer, AUDIENCE, mode="offline", ssl_context=ssl.create_default_context(cafile=authority))
    assert refusal_of(lambda: verifier.verify(token)).refusal == "keys_unavailable"
    setting.publish(setting.key)
    setting.clock.pass_time(5)
    assert verifier.verify(token).by == "signature"
    assert setting.service.cut.wait(5)
    verifier.close()


def test_what_came_beyond_an_answer_is_not_taken_for_the_next_one(setting: Setting, authority: Path, issuer: str) -> None:
    token = mint(setting.key, issuer, setting.clock.wall_ms / 1000)
    active = json.dumps({"active": True, **claims_of(issuer, setting.clock.wall_ms / 1000)}).encode()

    def answer(handler: Handler) -> Answer | None:
        if setting.service.requests_of(INTROSPECTION_PATH) > 1:
            return Answer(b'{"active":false}')
        # In one record, and more than the reader of the first one takes at once.
        first = active + b" " * 9000
        handler.wfile.write(
            b"".join(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(it) + it for it in (first, active))
        )
        handler.hang()
        return None

    setting.service.answer(INTROSPECTION_PATH, answer)
    context = ssl.create_default_context(cafile=authority)
    verifier = Verifier(issuer, AUDIENCE, mode="introspect", api_key="x", ssl_context=context)
    assert verifier.verify(token).by == "introspection"
    assert refusal_of(lambda: verifier.verify(token)).refusal == "inactive"
