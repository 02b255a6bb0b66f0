"""A token endpoint that hangs, lies or answers without end; metadata of somebody else; files that hold no secret; options
that are wrong."""

import datetime
import gzip
import json
import logging
import os
import pickle
import socket
import threading
import time
import traceback
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from service import Answer, Handle, Handler, free_port
from token_service import METADATA_PATH, SECRET, TOKEN_PATH, Tokens, good_token, refused, reply, unavailable

WRONG = "the token endpoint does not answer as one should: "
GOOD = {"access_token": "a.b.c", "token_type": "Bearer", "expires_in": 300}
NO_TOKEN, NO_TIME, NO_BEARER = (
    "it holds no access token",
    "expires_in is not a positive number",
    "its token is not of the type Bearer",
)
LIES: list[tuple[Handle, str]] = [
    (reply(200, "null"), WRONG + NO_TOKEN),
    (reply(200, "<html>"), WRONG + NO_TOKEN),
    (reply(200, []), WRONG + NO_TOKEN),
    (reply(200, json.dumps(GOOD)[:-1] + ', "access_token": "x"}'), WRONG + NO_TOKEN),
    *[(reply(200, {**GOOD, "access_token": it}), WRONG + NO_TOKEN) for it in ("", "a\r\nX-Evil: 1", "a b", "ä", 7, None)],
    *[(reply(200, {**GOOD, "token_type": it}), WRONG + NO_BEARER) for it in ("mac", "DPoP", None, ["Bearer"])],
    *[(reply(200, {**GOOD, "expires_in": it}), WRONG + NO_TIME) for it in (None, "300", 0, -1, True, [300])],
    *[(reply(200, json.dumps(GOOD).replace("300", it)), WRONG + NO_TIME) for it in ("1e999", "-1e999", "9" * 500)],
    (reply(404, "<html>"), WRONG + "status 404, and no error of OAuth"),
    (reply(400, {"error": 7}), WRONG + "status 400, and no error of OAuth"),
    (reply(302, "", location="http://127.0.0.1:1/"), WRONG + "status 302, and no error of OAuth"),
    (reply(302, {"error": "x"}, location="/elsewhere"), WRONG + "status 302, and no error of OAuth"),
    (reply(500, ""), "the token endpoint answers 500"),
    (reply(503, {"error": "temporarily_unavailable"}), "the token endpoint answers 503 temporarily_unavailable"),
    (reply(429, {"error": "too_many_requests"}), "the token endpoint answers 429 too_many_requests"),
]


@pytest.mark.parametrize("n", range(len(LIES)))
def test_an_answer_that_is_none_of_a_token_endpoint_is_unavailable_and_says_in_what(tokens: Tokens, n: int) -> None:
    handle, expected = LIES[n]
    tokens.answer_with(handle)
    failure = unavailable(tokens.source().get_token)
    assert (failure.reason, str(failure)) == (expected, f"No token can be had: {expected}.")
    assert len(tokens.requests) == 1


def test_a_token_that_is_not_bound_is_no_answer_to_a_request_with_a_proof(tokens: Tokens) -> None:
    assert unavailable(tokens.source(dpop=True).get_token).reason == WRONG + "its token is not of the type DPoP"
    tokens.answer_with(good_token(token_type="dpop"))
    assert tokens.source(dpop=True).get_token().token_type == "DPoP"


def test_an_answer_of_65536_bytes_is_read_and_one_byte_more_is_not(tokens: Tokens) -> None:
    def padded(size: int) -> str:
        body = json.dumps({**GOOD, "pad": ""})
        return body.replace('"pad": ""', f'"pad": "{"x" * (size - len(body))}"')

    tokens.answer_with(reply(200, padded(65_536)))
    assert tokens.source().get_token().value == "a.b.c"
    tokens.answer_with(reply(200, padded(65_537)))
    assert unavailable(tokens.source().get_token).reason == "the answer has more than 65536 bytes"
    bomb = gzip.compress(padded(50_000_000).encode())
    tokens.answer_with(lambda _: Answer(bomb, 200, {"content-encoding": "gzip"}))
    assert unavailable(tokens.source().get_token).reason == WRONG + NO_TOKEN


def head_then(drop: bytes) -> Handle:
    return lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n", drop)


HANGING: dict[str, Handle] = {
    "before its answer": lambda handler: handler.hang(),
    "within its head": lambda handler: handler.drip(b"HTTP/1.1 200 ", b"O"),
    "within its body": head_then(b"\r\n{"),
    "without an end": lambda handler: handler.drip(b"HTTP/1.1 200 OK\r\n\r\n", b" "),
}


@pytest.mark.parametrize("where", HANGING)
def test_a_service_that_hangs_is_given_up_in_time_and_asked_again(tokens: Tokens, where: str) -> None:
    tokens.answer_with(HANGING[where])
    source = tokens.source(timeout=0.5)
    since = time.monotonic()
    failures = [unavailable(source.get_token).reason, unavailable(source.get_token).reason]
    assert time.monotonic() - since < 0.9
    assert failures == ["no whole answer within 0.5 s"] * 2
    assert len(tokens.requests) == 1
    # Its connection is cut with the last caller.
    assert where == "before its answer" or tokens.service.cut.wait(5)
    tokens.clock.pass_time(0.5)
    tokens.answer_with(good_token())
    assert source.get_token().value.startswith("token.number.")


def test_a_service_that_hangs_for_each_of_many_sources_occupies_no_thread_for_long(tokens: Tokens) -> None:
    tokens.answer_with(HANGING["within its head"])
    source = tokens.source(timeout=0.3)
    for n in range(9):
        unavailable(source.on_behalf_of(f"subject.{n}", resource="https://x.example").get_token)
    tokens.answer_with(good_token())
    assert source.get_token().value.startswith("token.number.")


def test_a_refresh_beside_use_that_hangs_does_not_keep_others_from_asking(tokens: Tokens) -> None:
    source = tokens.source(timeout=0.5)
    first = source.get_token()
    tokens.answer_with(HANGING["within its head"])
    tokens.clock.pass_time(250)
    assert source.get_token() is first
    give_up = time.monotonic() + 10
    while not tokens.failures:
        assert source.get_token() is first
        assert time.monotonic() < give_up
        time.sleep(0.01)
    assert [str(failure) for failure in tokens.failures] == ["No token can be had: no whole answer within 0.5 s."]
    tokens.answer_with(good_token())
    tokens.clock.pass_time(1)
    while source.get_token() is first:
        assert time.monotonic() < give_up
        time.sleep(0.01)


def reset(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"access_token":')


@pytest.mark.parametrize(("handle", "reason"), [(reset, "RemoteDisconnected"), (cut, "IncompleteRead")])
def test_a_connection_that_is_reset_or_cut_is_unavailable(tokens: Tokens, handle: Handle, reason: str) -> None:
    tokens.answer_with(handle)
    assert unavailable(tokens.source().get_token).reason == reason


def test_a_connection_that_is_refused_is_unavailable(tokens: Tokens) -> None:
    assert unavailable(tokens.source(issuer=f"http://127.0.0.1:{free_port()}").get_token).reason == "ECONNREFUSED"


SPELLINGS = [
    SECRET,
    quote(SECRET, safe=""),
    quote_plus(SECRET),
    "mmc_%2Ba%2Fse+cret%3D%22%C3%A4%25us%7E*",  # URLSearchParams
    "mmc_%2Ba%2Fse%20cret%3D%22%C3%A4%25us~*",  # encodeURIComponent
    json.dumps(SECRET)[1:-1],
    json.dumps(SECRET, ensure_ascii=False)[1:-1],
]


def printed(value: object, caplog: pytest.LogCaptureFixture) -> str:
    caplog.clear()
    logging.getLogger("test").warning("%s %r", value, value)
    return f"{value!r} {value} {value!s:>5} {[value]} {vars(value) if isinstance(value, Exception) else ''} {caplog.text}"


def test_neither_a_refusal_nor_a_fault_repeats_a_secret(tokens: Tokens, caplog: pytest.LogCaptureFixture) -> None:
    said = f"{' '.join(SPELLINGS)} line\nbreak \u202e \u0007\ud800{'x' * 2000}"
    tokens.answer_with(reply(400, {"error": f"invalid {SECRET}", "error_description": said}))
    error = refused(tokens.source().get_token)
    assert (error.error, error.status) == ("invalid [redacted]", 400)
    assert error.description is not None
    assert error.description.startswith("[redacted] " * len(SPELLINGS) + "line break    x")
    assert len(error.description) <= 500
    text = printed(error, caplog) + "".join(traceback.format_exception(error)) + repr(pickle.dumps(error))
    assert not any(spelling in text for spelling in SPELLINGS)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.status) == (str(error), 400)
    assert error.__context__ is None
    assert error.__cause__ is None
    tokens.answer_with(reply(503, {"error": SECRET}))
    failure = unavailable(tokens.source().get_token)
    assert failure.reason == "the token endpoint answers 503 [redacted]"
    assert str(pickle.loads(pickle.dumps(failure))) == str(failure)


def test_an_assertion_and_a_subject_token_are_not_repeated_either(tokens: Tokens, tmp_path: Path) -> None:
    def echo(handler: Handler) -> Answer | None:
        body = tokens.service.received[-1].body.decode().replace("&", " ")
        return reply(400, {"error": "invalid_request", "error_description": body})(handler)

    tokens.answer_with(echo)
    path = tmp_path / "workload"
    path.write_text("eyJ.of-the-platform.x")
    source = tokens.source(client_secret=None, workload_token_file=path, subject_token="eyJ.received.y")
    description = refused(source.get_token).description or ""
    assert "client_assertion=[redacted] " in description
    assert "subject_token=[redacted] " in description


def test_what_holds_a_secret_is_printed_without_it_and_is_not_pickled(
    tokens: Tokens, caplog: pytest.LogCaptureFixture
) -> None:
    tokens.answer_with(good_token(access_token="canary.of.a.token"))
    source = tokens.source(subject_token="canary.of.a.subject")
    token = source.get_token()
    other = source.on_behalf_of("canary.of.another", resource="https://x.example")
    agent = source._agent
    held = (source, token, other, source._cache._kept, source._grant, agent.settings, agent, agent.present(), {"t": token})
    for value in held:
        text = printed(value, caplog)
        assert "canary" not in text
        assert not any(spelling in text for spelling in SPELLINGS)
    assert repr(token).startswith("AccessToken([redacted], 'Bearer', '2026-")
    assert repr(source) == f"TokenSource({tokens.service.issuer!r}, 'reports', resource=[])"
    assert "canary" not in printed(tokens.source(proxy="http://u:canary@127.0.0.1:1")._agent.settings, caplog)
    for secret, advice in ((source, "make one in each process"), (token, "is not pickled")):
        with pytest.raises(TypeError, match=advice):
            pickle.dumps(secret)


def test_what_nobody_foresaw_is_unavailable_and_its_message_is_not_repeated(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr("mintmark_auth.client.request._body_of", fail)
    failure = unavailable(tokens.source().get_token)
    assert failure.reason == "a fault of the client, KeyError"
    assert (failure.__context__, failure.__cause__) == (None, None)


def test_metadata_is_read_where_rfc_8414_puts_it_and_again_after_an_hour(tokens: Tokens) -> None:
    issuer = tokens.service.issuer + "/tenant"
    path = f"{METADATA_PATH}/tenant"
    tokens.service.answer_json(path, {"issuer": issuer, "token_endpoint": tokens.service.issuer + TOKEN_PATH})
    source = tokens.source(issuer=issuer)

    def next_token() -> None:
        source.invalidate(source.get_token())
        source.get_token()

    next_token()
    tokens.clock.pass_time(3599.999)
    next_token()
    assert tokens.service.requests_of(path) == 1
    tokens.clock.pass_time(0.001)
    next_token()
    assert tokens.service.requests_of(path) == 2
    source = tokens.source(issuer=issuer, timeout=1)
    next_token()
    for handle in (reply(500, {}), *HANGING.values()):
        tokens.service.answer(path, handle)
        tokens.clock.pass_time(3600)
        asked = tokens.service.requests_of(path)
        source.get_token()
        assert tokens.service.requests_of(path) == asked + 1


NAMES = "the metadata names"


def test_metadata_of_another_issuer_or_without_an_endpoint_of_https_is_not_believed(tokens: Tokens) -> None:
    issuer = tokens.service.issuer
    at = f"the metadata at {issuer}{METADATA_PATH} is of the issuer"
    no_https = f"{NAMES} a token endpoint that is not of https:"
    for metadata, expected in (
        (
            {"issuer": "https://evil.example", "token_endpoint": f"{issuer}/t"},
            f'{at} "https://evil.example"; expected "{issuer}"',
        ),
        ({"issuer": f"{issuer}/", "token_endpoint": f"{issuer}/t"}, f'{at} "{issuer}/"; expected "{issuer}"'),
        ({"token_endpoint": f"{issuer}/t"}, f'{at} ""; expected "{issuer}"'),
        ({"issuer": issuer}, f"{NAMES} no token endpoint"),
        ({"issuer": issuer, "token_endpoint": "http://evil.example/t"}, f"{no_https} http://evil.example/t"),
        ({"issuer": issuer, "token_endpoint": "data:text/plain,x"}, f"{no_https} data:text/plain,x"),
        *[
            ({"issuer": issuer, "token_endpoint": f"{scheme}://u:p@a.example"}, f"{NAMES} a token endpoint with a user name")
            for scheme in ("https", "ftp")
        ],
    ):
        tokens.publish(**metadata)
        assert unavailable(tokens.source().get_token).reason == expected
    for handle, status in ((reply(404, {}), 404), (reply(200, "[]"), 200), (reply(302, {}, location="/x"), 302)):
        tokens.service.answer(METADATA_PATH, handle)
        assert unavailable(tokens.source().get_token).reason == f"no metadata at {issuer}{METADATA_PATH} (status {status})"
    assert tokens.requests == []


def test_a_file_that_holds_no_secret_is_named_and_nothing_of_it_is_printed(tokens: Tokens, tmp_path: Path) -> None:
    def place(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def reason(path: Path | str, name: str = "client_secret_file") -> str:
        return unavailable(tokens.source(client_secret=None, **{name: path}).get_token).reason

    def named(name: str) -> str:
        return f"the file {json.dumps(str(tmp_path / name))}"

    assert reason(tmp_path / "none") == f"{named('none')} cannot be read (ENOENT)"
    assert reason(tmp_path) == f"the file {json.dumps(str(tmp_path))} cannot be read (EISDIR)"
    assert reason("a\0b") == 'the file "a\\u0000b" cannot be read (unknown error)'
    assert reason(place("empty", " \n")) == f"{named('empty')} is empty"
    assert reason(place("bytes", b"\xff\xfe")) == f"{named('bytes')} is not UTF-8"
    assert reason(place("long", "x" * 65_537)) == f"{named('long')} has more than 65536 bytes"
    wrong = "the client secret is not one line of 1 to 8192 characters"
    assert reason(place("padded", "x" * 65_536)) == wrong
    assert reason(place("lines", "one\ntwo")) == wrong
    assert reason(place("no-jwt", "two words"), "workload_token_file") == f"{named('no-jwt')} holds no JWT"
    pem = "-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----"
    expected = "expected a private key for ES256, ES384, EdDSA, RS256 or PS256 as a JWK or PEM"
    for text in (pem, '{"kty":"oct","k":"c2VjcmV0"}', '{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"c2VjcmV0"}'):
        key = place("key", text)
        assert reason(key, "private_key_file") == f"{named('key')} holds no key that is known here; {expected}"
    assert tokens.requests == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="There are no pipes.")
def test_a_pipe_is_read_when_it_is_written_and_given_up_in_time(
    tokens: Tokens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with monkeypatch.context() as patched:
        patched.setattr("mintmark_auth.client.text_file._SECONDS_MAX", 0.05)
        failure = unavailable(tokens.source(client_secret=None, client_secret_file=path).get_token)
    assert failure.reason == f"the file {json.dumps(str(path))} was not read to its end within 50 ms"
    source = tokens.source(client_secret=None, client_secret_file=path)
    writer = threading.Thread(target=lambda: path.write_text("mmc_late\n"))
    writer.start()
    source.get_token()
    writer.join()
    assert tokens.forms[-1]["client_secret"] == ["mmc_late"]
    if Path("/dev/zero").exists():
        endless = tokens.source(client_secret=None, client_secret_file="/dev/zero")
        assert unavailable(endless.get_token).reason == 'the file "/dev/zero" has more than 65536 bytes'


def test_a_file_is_read_for_each_token(tokens: Tokens, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    source = tokens.source(client_secret=None, client_secret_file=path)
    for secret in ("mmc_one", "mmc_two"):
        path.write_text(f"\ufeff{secret}\n")
        source.invalidate(source.get_token())
    assert [form["client_secret"] for form in tokens.forms] == [["mmc_one"], ["mmc_two"]]


ES256 = ec.generate_private_key(ec.SECP256R1())


def pem_of(key: Any) -> bytes:
    pem: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem


@pytest.mark.parametrize("key", [ec.generate_private_key(ec.SECP521R1()), rsa.generate_private_key(65537, 1024)])
def test_a_key_that_is_not_for_an_algorithm_of_the_service_is_named(tokens: Tokens, tmp_path: Path, key: Any) -> None:
    path = tmp_path / "key"
    path.write_bytes(pem_of(key))
    source = tokens.source(client_secret=None, private_key_file=path)
    assert "holds no key that is known here" in unavailable(source.get_token).reason
    path.write_bytes(pem_of(ed25519.Ed25519PrivateKey.generate()))
    tokens.clock.pass_time(1)
    source.get_token()


async def hear(_: Exception) -> None:
    """Nobody would await it."""


HOW_SECRET = "is not one line of 1 to 8192 characters."
OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"issuer": "auth.example"}, "issuer is not a URL."),
    ({"issuer": 7}, "issuer is not a URL."),
    ({"issuer": "https:///auth.example"}, "issuer is not a URL."),
    ({"issuer": "https://user:pass@auth.example"}, "issuer holds a user name or a password."),
    ({"issuer": "http://auth.example"}, "issuer is not https."),
    *[
        ({"issuer": f"https://auth.example{it}"}, "issuer ends with a slash, or has")
        for it in ("/", "?", "#", "/a b", "\\", " ")
    ],
    ({"client_id": None}, "client_id is missing."),
    ({"client_id": ""}, "client_id is not a string"),
    (
        {"client_secret": None},
        "0 credentials are given. Give exactly one of client_secret, client_secret_file, private_key, ",
    ),
    ({"client_secret_file": "x"}, "2 credentials are given."),
    *[({"client_secret": it}, f"client_secret {HOW_SECRET}") for it in ("", "x" * 8193, "\ud800", "a\nb", 7, b"x")],
    *[
        ({"client_secret": None, name: it}, f"{name} is not the path of a file.")
        for name in ("client_secret_file", "private_key_file", "workload_token_file")
        for it in ("", 7)
    ],
    ({"client_secret": None, "client_certificate": ("a",)}, "client_certificate is not the paths of a certificate and"),
    ({"client_secret": None, "client_certificate": ("a", "")}, "client_certificate is not the path of a file."),
    ({"client_secret": None, "private_key": "MII"}, "private_key is not a JWK."),
    ({"client_secret": None, "private_key": {"kty": "oct", "k": "c2VjcmV0"}}, "private_key is a JWK of another kind;"),
    *[
        ({"scopes": it}, "scopes is not a list of scope items")
        for it in ("db:read", ["db:read db:write"], [""], [7], None, {"a"})
    ],
    *[({"resource": it}, "resource is not a URI, or a list of URIs") for it in (None, [""], ["https://a.example", 1], "")],
    *[({"subject_token": it}, "subject_token is not the text of a token") for it in ("", "two words", "Bearer x.y", 7)],
    *[({"timeout": it}, "timeout is not a number of seconds from 0.001 to 300.") for it in (0, 300.1, "5", True, None)],
    ({"dpop": "yes"}, "dpop is not True or False."),
    *[({"on_refresh_failure": it}, "on_refresh_failure is not a plain function.") for it in (None, hear)],
    ({"insecure": "https"}, "insecure is not one of http."),
    ({"ssl_context": True}, "ssl_context is not an SSLContext."),
    ({"proxy": "proxy:3128"}, "proxy is not a URL of http or https."),
]


@pytest.mark.parametrize("n", range(len(OPTIONS)))
def test_an_option_that_is_wrong_is_named_before_anything_is_sent(tokens: Tokens, n: int) -> None:
    options, message = OPTIONS[n]
    before = threading.active_count()
    with pytest.raises(ValueError, match="TokenSource: ") as error:
        tokens.source(**options)
    assert str(error.value).startswith(f"TokenSource: {message}")
    assert "c2VjcmV0" not in str(error.value)
    assert tokens.service.received == []
    assert threading.active_count() == before


def test_the_most_that_options_allow_is_taken(tokens: Tokens) -> None:
    tokens.source(timeout=300, client_secret="x" * 8192)
    tokens.source(timeout=0.001, issuer="http://auth.example", insecure="http")
    tokens.source(client_id=None, client_secret=None, workload_token_file=Path("x"))


def place_certificate(folder: Path, password: bytes | None = None) -> tuple[Path, Path]:
    """A certificate and its key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "reports")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, ES256.public_key(), x509.random_serial_number())
    certificate = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1)).sign(ES256, SHA256())
    encryption = NoEncryption() if password is None else BestAvailableEncryption(password)
    (folder / "key.pem").write_bytes(ES256.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    return folder / "certificate.pem", folder / "key.pem"


def test_a_client_with_a_certificate_goes_where_the_metadata_sends_such_clients(tokens: Tokens, tmp_path: Path) -> None:
    issuer = tokens.service.issuer
    aliases = {"token_endpoint": f"{issuer}/mtls"}
    tokens.publish(issuer=issuer, token_endpoint=issuer + TOKEN_PATH, mtls_endpoint_aliases=aliases)
    tokens.service.answer("/mtls", good_token())
    source = tokens.source(client_secret=None, client_certificate=place_certificate(tmp_path))
    source.get_token()
    received = tokens.service.received[-1]
    assert (received.path, received.body) == ("/mtls", b"client_id=reports&grant_type=client_credentials")
    # Connections are kept while the files are the same.
    http = source._cache.connected._http[1]
    source.invalidate(source.get_token())
    source.get_token()
    assert source._cache.connected._http[1] is http
    assert tokens.requests == []
    tokens.source().get_token()
    assert tokens.service.received[-1].path == TOKEN_PATH
    # An address that is there and wrong is not passed over for the other one.
    for wrong, reason in (
        ({"token_endpoint": None}, f"{NAMES} no token endpoint"),
        ({"token_endpoint": ""}, f"{NAMES} a token endpoint that is not of https: "),
        ([aliases], "the metadata holds mtls_endpoint_aliases that are no object"),
    ):
        tokens.publish(issuer=issuer, token_endpoint=issuer + TOKEN_PATH, mtls_endpoint_aliases=wrong)
        source = tokens.source(client_secret=None, client_certificate=place_certificate(tmp_path))
        assert unavailable(source.get_token).reason == reason
    tokens.publish(issuer=issuer, token_endpoint=issuer + TOKEN_PATH, mtls_endpoint_aliases={})
    tokens.source(client_secret=None, client_certificate=place_certificate(tmp_path)).get_token()


def test_a_certificate_that_cannot_be_used_is_named(tokens: Tokens, tmp_path: Path) -> None:
    files = place_certificate(tmp_path, b"password")

    def reason() -> str:
        return unavailable(tokens.source(client_secret=None, client_certificate=files).get_token).reason

    names = " and ".join(f"the file {json.dumps(str(path))}" for path in files)
    assert reason() == f"{names} are no certificate with its key, both PEM"
    files[1].unlink()
    assert reason() == f"the file {json.dumps(str(files[1]))} cannot be read (ENOENT)"
    if hasattr(os, "mkfifo"):
        os.mkfifo(files[1])
        assert reason() == f"the file {json.dumps(str(files[1]))} is no file"
    assert tokens.service.received == []
