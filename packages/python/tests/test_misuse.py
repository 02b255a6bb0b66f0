"""Options and arguments: a mistake is named, and never a verifier that accepts more."""

import copy
import pickle
from enum import StrEnum
from typing import Any

import pytest
from conftest import Setting, refusal_of

from mintmark_auth import Hooks, IncomingRequest, Presented, Refused, Verified, Verifier

GOOD: dict[str, Any] = {"issuer": "https://tokens.example", "audience": "https://orders.example/v1", "mode": "offline"}

OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "an issuer that is no URL": ("issuer is not a URL", {"issuer": "tokens"}),
    "an issuer without a host": ("issuer is not a URL", {"issuer": "https:///tokens"}),
    "an issuer that is no text": ("issuer is not a URL", {"issuer": None}),
    "an issuer with a password": ("issuer holds a user name or a password", {"issuer": "https://a:b@tokens.example"}),
    "an issuer with a slash": ("issuer ends with a slash", {"issuer": "https://tokens.example/"}),
    "an issuer with an empty query": ("issuer ends with a slash", {"issuer": "https://tokens.example?"}),
    "an issuer with an empty fragment": ("issuer ends with a slash", {"issuer": "https://tokens.example/a#"}),
    "an issuer after a space": ("issuer ends with a slash", {"issuer": " https://tokens.example"}),
    "an issuer before a line feed": ("issuer ends with a slash", {"issuer": "https://tokens.example\n"}),
    "an issuer over http": ("issuer is not https", {"issuer": "http://tokens.example"}),
    "another insecurity": ("insecure is not", {"insecure": True}),
    "no audience": ("audience is missing", {"audience": []}),
    "an empty audience": ("audience is missing", {"audience": ""}),
    "an audience that is no text": ("audience is missing", {"audience": [1]}),
    "no API key to introspect": ("api_key is missing", {"mode": "introspect"}),
    "an API key with a line feed": ("api_key holds a character", {"api_key": "a\n"}),
    "an API key that is a function": ("api_key is not a string", {"api_key": lambda: "mma_x"}),
    "no API key for the feed": ("api_key is missing. Mode feed", {"mode": "feed"}),
    "another mode": ("mode is not one of feed, offline, introspect", {"mode": None}),
    "another way when stale": ("when_stale is not one of introspect, refuse", {"when_stale": "accept"}),
    "staleness that is none": ("max_staleness is not a number of seconds from 0.2 to 3600", {"max_staleness": 0}),
    "keys for too long": ("max_key_age is not a number of seconds from 1 to 86400", {"max_key_age": 86_401}),
    "keys for true": ("max_key_age is not", {"max_key_age": True}),
    "keys for no number": ("max_key_age is not", {"max_key_age": float("nan")}),
    "no algorithm": ("algorithms is not a list", {"algorithms": []}),
    "an algorithm with a shared secret": ("algorithms is not a list", {"algorithms": ["ES256", "HS256"]}),
    "algorithms as a text": ("algorithms is not a list", {"algorithms": "ES256"}),
    "metadata at no URL": ("resource_metadata is not a URL", {"resource_metadata": "/x"}),
    "no hooks": ("hooks is not a Hooks", {"hooks": None}),
    "a hook that is no function": ("hooks: failed is not a function", {"hooks": Hooks(failed="log")}),  # type: ignore[arg-type]
    "a memory of proofs that is none": ("proofs is not a function", {"proofs": {}}),
    "a name that cannot be shown": ("name is not 1 to 100 printable", {"name": ""}),
    "a name with spaces around": ("name is not 1 to 100 printable", {"name": "a "}),
    "a proxy that is none": ("proxy is not a URL", {"proxy": "socks5://127.0.0.1"}),
    "a context that is none": ("ssl_context is not", {"ssl_context": True}),
}


@pytest.mark.parametrize(("message", "options"), OPTIONS.values(), ids=OPTIONS)
def test_a_wrong_option_is_named(message: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^Verifier: {message}"):
        Verifier(**{**GOOD, **options})


def test_the_feed_is_followed_unless_another_mode_is_given_and_http_is_asked_for() -> None:
    assert Verifier("https://tokens.example", "x", api_key="mma_x").status().mode == "feed"
    Verifier("http://mintmark:8080", "x", mode="offline", insecure="http")
    Verifier("http://[::1]:8080/base", ["x", "y"], mode="offline")


METADATA = {
    "https://orders.example": "https://orders.example/.well-known/oauth-protected-resource",
    "https://orders.example/v1?a=b": "https://orders.example/.well-known/oauth-protected-resource/v1?a=b",
    "https://ORDERS.example:443/a/../b": "https://orders.example/.well-known/oauth-protected-resource/b",
    "urn:orders": None,
}


@pytest.mark.parametrize(("audience", "url"), METADATA.items())
def test_the_metadata_stands_before_the_path_of_the_audience(audience: str, url: str | None) -> None:
    assert Verifier("https://tokens.example", audience, mode="offline").resource.metadata_url == url


class Loud(str):
    """A text that calls itself equal to everything."""

    __hash__ = str.__hash__

    def __eq__(self, _: object) -> bool:
        return True


class Scope(StrEnum):
    READ = "db:read"
    WRITE = "db:write"


class Broken(list[str]):
    def __iter__(self) -> Any:
        raise ValueError("secret")


MISUSES: dict[str, tuple[str, dict[str, Any]]] = {
    "scopes as a text": ("verify: scopes is not a list of scope items", {"scopes": "db:read"}),
    "scopes as bytes": ("verify: scopes is not a list of scope items", {"scopes": b"db:read"}),
    "scopes that are none": ("verify: scopes is not a list of scope items", {"scopes": None}),
    "a scope that is no text": ("verify: scopes is not a list of scope items", {"scopes": ["db:read", b"x"]}),
    "scopes of a dict": ("verify: scopes is not a list of scope items", {"scopes": {"db:read": True}}),
    "more scopes than there are": ("verify: scopes has more than 10000 items", {"scopes": ["x"] * 10_001}),
    "scopes that raise": ("verify: the arguments cannot be read.", {"scopes": Broken(["x"])}),
    "a proof alone": ("verify: dpop is not a Presented", {"dpop": "proof"}),
    "a proof that is bytes": ("verify: dpop: proof is not a string", {"dpop": Presented("GET", "https://x", b"x")}),  # type: ignore[arg-type]
    "no method": ("verify: dpop: method is not a string", {"dpop": Presented(None, "https://x")}),  # type: ignore[arg-type]
    "no URL": ("verify: dpop: url is not a string", {"dpop": Presented("GET", None)}),  # type: ignore[arg-type]
    "a certificate that is none": ("verify: certificate is not DER", {"certificate": 1}),
}


@pytest.mark.parametrize(("reason", "asked"), MISUSES.values(), ids=MISUSES)
def test_a_wrong_argument_is_refused_with_500(setting: Setting, reason: str, asked: dict[str, Any]) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(token)
    refused = refusal_of(lambda: verifier.verify(token, **asked))
    assert (refused.refusal, refused.status, refused.challenge, refused.retry_after) == ("misuse", 500, None, None)
    assert refused.reason.startswith(reason)
    assert setting.problems == [refused.reason]


def test_a_wrong_request_is_refused_with_500(setting: Setting) -> None:
    verifier = setting.verifier()
    for request in (None, "Bearer x", {"authorization": "Bearer x"}, IncomingRequest("GET", "https://x", b"Bearer x")):  # type: ignore[arg-type]
        assert refusal_of(lambda it=request: verifier.authorize(it)).refusal == "misuse"  # type: ignore[misc]


@pytest.mark.parametrize("token", [b"x.y.z", 1, ["x"], "", None], ids=repr)
def test_what_is_no_text_is_no_token(setting: Setting, token: Any) -> None:
    assert refusal_of(lambda: setting.verifier().verify(token)).refusal == "missing_token"


@pytest.mark.parametrize("token", ["\ud800", "x.y.\ud800", "é.é.é", "x.y.z\n", "\0", "." * 16_001], ids=ascii)
def test_any_other_text_is_malformed(setting: Setting, token: str) -> None:
    assert refusal_of(lambda: setting.verifier().verify(token)).refusal == "malformed"
    assert setting.service.received == []


def test_a_text_of_a_subclass_counts_by_its_characters(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(Loud(token), scopes=[Scope.READ])
    for scopes in ([Loud("x")], [Scope.WRITE], {"db:read", "\ud800"}):
        assert refusal_of(lambda it=scopes: verifier.verify(token, scopes=it)).refusal == "insufficient_scope"  # type: ignore[misc]
    assert refusal_of(lambda: verifier.verify(Loud("x.y.z"))).refusal == "malformed"


def test_a_fault_is_a_refusal_and_what_ends_the_program_is_not(monkeypatch: pytest.MonkeyPatch, setting: Setting) -> None:
    from mintmark_auth.verify import decide

    verifier = setting.verifier()

    def fail(fault: BaseException) -> None:
        def raise_it(*_: object) -> None:
            raise fault

        monkeypatch.setattr(decide, "read_claims", raise_it)

    fail(RecursionError("deep"))
    refused = refusal_of(lambda: verifier.verify(setting.mint()))
    assert (refused.refusal, refused.status, refused.retry_after) == ("fault", 503, 1)
    assert setting.problems == ["A fault of the verifier: RecursionError: deep"]
    for fault in (KeyboardInterrupt(), SystemExit(1)):
        fail(fault)
        with pytest.raises(type(fault)):
            verifier.verify(setting.mint())


def test_hooks_are_called_and_harm_nobody(setting: Setting) -> None:
    seen: list[object] = []

    def fail(value: object) -> None:
        seen.append(value)
        raise ValueError("secret")

    verifier = setting.verifier(hooks=Hooks(verified=fail, refused=fail, failed=fail))
    verified = verifier.verify(setting.mint())
    refused = refusal_of(lambda: verifier.verify("x"))
    assert seen == [verified, "A hook raised.", refused, "A hook raised."]
    status = verifier.status()
    assert status.failures == 4
    assert status.last_failure is not None
    assert status.last_failure.problem == "The hook failed raised."


def test_what_ends_a_program_passes_through_a_hook(setting: Setting) -> None:
    """A signal handler may raise it at any moment."""

    def end(_: object) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        setting.verifier(hooks=Hooks(verified=end)).verify(setting.mint())


def test_what_is_handed_out_cannot_be_changed(setting: Setting) -> None:
    claims: dict[str, Any] = {"act": {"sub": "agent-2"}, "aud": ["https://orders.example/v1"], "own": {"a": [{"b": 1}]}}
    verified = setting.verifier().verify(setting.mint(**claims))
    assert verified.claims["own"]["a"][0]["b"] == 1
    for mapping in (verified.claims, verified.claims["act"], verified.claims["own"]["a"][0]):
        with pytest.raises(TypeError):
            mapping["sub"] = "root"  # type: ignore[index]
    assert isinstance(verified.claims["aud"], tuple)
    with pytest.raises(AttributeError):
        verified.scopes = ()  # type: ignore[misc]
    assert isinstance(verified, Verified)


def test_a_verifier_is_not_copied_and_shows_no_secret(setting: Setting) -> None:
    verifier = setting.verifier(api_key="mma_canary")
    for spread in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="make one in each process"):
            spread(verifier)
    assert "canary" not in repr(verifier) + repr(verifier.status()) + repr(verifier.resource)
    assert repr(verifier).startswith("Verifier('http://127.0.0.1:")


def test_a_refusal_crosses_processes(setting: Setting) -> None:
    refused = refusal_of(lambda: setting.verifier().verify(setting.mint(), scopes=["x"]))
    again = pickle.loads(pickle.dumps(refused))
    assert isinstance(again, Refused)
    assert (str(again), again.challenge, again.body) == (str(refused), refused.challenge, refused.body)
    assert str(refused) == "insufficient_scope: The token lacks: x."


def test_a_closed_verifier_refuses_all(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(token)
    verifier.close()
    verifier.close()
    assert refusal_of(lambda: verifier.verify(token)).refusal == "closed"
    assert verifier.ready().cached_tokens == 1


@pytest.mark.parametrize("timeout", [-1, True, float("nan"), float("inf"), "1", None], ids=repr)
def test_ready_refuses_what_is_no_time(setting: Setting, timeout: Any) -> None:
    with pytest.raises(ValueError, match=r"^ready: timeout"):
        setting.verifier().ready(timeout)
