"""Tokens in the requests of httpx, httpx2 and requests: renewed once after a 401, with proofs, and never elsewhere."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import httpx2
import pytest
import requests
from service import Answer, Handle, Handler, Received, Service, running_service
from token_service import Tokens, good_token, refused, reply, unavailable

from mintmark_auth import httpx as for_httpx
from mintmark_auth import httpx2 as for_httpx2
from mintmark_auth import requests as for_requests
from mintmark_auth.client import TokenSource, TokenUnavailable
from mintmark_auth.client.dpop import Proof, Prover
from mintmark_auth.proofs.dpop import thumbprint_of
from mintmark_auth.proofs.proof_claims import check_proof_claims
from mintmark_auth.tokens.compact_jws import CompactJws, CompactReader
from mintmark_auth.tokens.public_keys import load_public_key
from mintmark_auth.wire.web_address import WebAddress, parse_web_address


class Called:
    """What came of a call, whichever library made it."""

    def __init__(self, status: int, text: str) -> None:
        self.status, self.text = status, text


def call_by_httpx(source: TokenSource, method: str, url: str, **options: Any) -> Called:
    auth = for_httpx.Auth(source, origins=options.pop("origins", ()))
    with httpx.Client(auth=auth, follow_redirects=True, verify=False) as client:
        response = client.request(method, url, **options)
        return Called(response.status_code, response.text)


def call_by_httpx2(source: TokenSource, method: str, url: str, **options: Any) -> Called:
    auth = for_httpx2.Auth(source, origins=options.pop("origins", ()))
    with httpx2.Client(auth=auth, follow_redirects=True, verify=False) as client:
        response = client.request(method, url, **options)
        return Called(response.status_code, response.text)


def call_by_async_httpx(source: TokenSource, method: str, url: str, **options: Any) -> Called:
    async def call() -> Called:
        auth = for_httpx.Auth(source, origins=options.pop("origins", ()))
        async with httpx.AsyncClient(auth=auth, follow_redirects=True, verify=False) as client:
            response = await client.request(method, url, **options)
            return Called(response.status_code, response.text)

    return asyncio.run(call())


def call_by_async_httpx2(source: TokenSource, method: str, url: str, **options: Any) -> Called:
    async def call() -> Called:
        auth = for_httpx2.Auth(source, origins=options.pop("origins", ()))
        async with httpx2.AsyncClient(auth=auth, follow_redirects=True, verify=False) as client:
            response = await client.request(method, url, **options)
            return Called(response.status_code, response.text)

    return asyncio.run(call())


def call_by_requests(source: TokenSource, method: str, url: str, **options: Any) -> Called:
    with requests.Session() as session:
        session.auth = for_requests.Auth(source, origins=options.pop("origins", ()))
        options["data"] = options.pop("content", options.pop("data", None))
        response = session.request(method, url, **options)
        return Called(response.status_code, response.text)


Call = Callable[..., Called]
CALLS: Mapping[str, Call] = {
    "httpx": call_by_httpx,
    "httpx async": call_by_async_httpx,
    "httpx2": call_by_httpx2,
    "httpx2 async": call_by_async_httpx2,
    "requests": call_by_requests,
}


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Call:
    return CALLS[request.param]


@pytest.fixture
def resource() -> Iterator[Service]:
    with running_service() as running:
        running.answer("/orders", reply(200, {"done": True}))
        yield running


def source_of(tokens: Tokens, resource: Service, **options: Any) -> TokenSource:
    if options.get("dpop"):
        tokens.answer_with(good_token(token_type="DPoP"))
    return tokens.source(resource=resource.issuer, **options)


def token_in(received: Received) -> str:
    return received.headers.get("authorization", "")


def refuse_first(resource: Service) -> None:
    """Refuses the token that it is sent first, and takes every other."""
    refused: list[str] = []

    def answer(handler: Handler) -> Answer | None:
        token = handler.headers["authorization"]
        if not refused:
            refused.append(token)
        return reply(401 if token in refused else 200, {})(handler)

    resource.answer("/orders", answer)


def test_a_request_carries_the_token_and_all_that_the_caller_gave_it(tokens: Tokens, resource: Service, call: Call) -> None:
    source = source_of(tokens, resource)
    resource.answer("/orders?page=2", reply(200, {"done": True}))
    headers = {"x-own": "kept", "authorization": "Basic b3RoZXI="}
    called = call(source, "POST", f"{resource.issuer}/orders?page=2", content="two", headers=headers)
    assert (called.status, called.text) == (200, '{"done": true}')
    [received] = resource.received
    assert (received.method, received.path, received.body) == ("POST", "/orders?page=2", b"two")
    assert (received.headers["x-own"], token_in(received)) == ("kept", source.get_token().authorization)
    assert "dpop" not in received.headers


@pytest.mark.parametrize("body", [{}, {"content": b"bytes"}, {"data": {"a": "1"}}, {"json": {"a": 1}}])
def test_after_a_401_the_token_is_renewed_and_the_request_sent_once_more(
    tokens: Tokens, resource: Service, call: Call, body: dict[str, Any]
) -> None:
    refuse_first(resource)
    assert call(source_of(tokens, resource), "POST", f"{resource.issuer}/orders", **body).status == 200
    first, second = resource.received
    assert (first.body, first.headers.get("content-type")) == (second.body, second.headers.get("content-type"))
    assert token_in(first) != token_in(second)
    assert len(tokens.requests) == 2


def test_a_repeated_request_carries_the_cookies_of_the_401(tokens: Tokens, resource: Service, call: Call) -> None:
    """As with the digest of requests and httpx: some servers bind what they refused to what comes next."""

    def answer(handler: Handler) -> Answer | None:
        cookie = handler.headers.get("cookie")
        return reply(401 if cookie is None else 200, {"cookie": cookie}, set_cookie="seen=1; Path=/; HttpOnly")(handler)

    resource.answer("/orders", answer)
    called = call(source_of(tokens, resource), "GET", f"{resource.issuer}/orders")
    assert (called.status, called.text) == (200, '{"cookie": "seen=1"}')


def stream_of(call: Call) -> Any:
    def chunks() -> Iterator[bytes]:
        yield b"stream"

    async def async_chunks() -> Any:
        yield b"stream"

    return async_chunks() if "async" in call.__name__ else chunks()


def test_a_body_that_is_there_once_is_not_sent_again_and_the_next_request_has_a_new_token(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    refuse_first(resource)
    source = source_of(tokens, resource)

    refusing = resource.answers["/orders"]
    resource.answer("/orders", take_chunks_then(refusing))
    assert call(source, "POST", f"{resource.issuer}/orders", content=stream_of(call)).status == 401
    resource.answer("/orders", refusing)
    assert call(source, "GET", f"{resource.issuer}/orders").status == 200
    assert [received.method for received in resource.received] == ["POST", "GET"]


def test_a_server_that_refuses_every_token_costs_one_new_token_in_ten_seconds(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    resource.answer("/orders", reply(401, {"error": "never"}))
    source = source_of(tokens, resource)

    def spend() -> int:
        before = len(tokens.requests)
        with ThreadPoolExecutor(10) as pool:
            called = list(pool.map(lambda _: call(source, "GET", f"{resource.issuer}/orders"), range(10)))
        assert {(one.status, one.text) for one in called} == {(401, '{"error": "never"}')}
        return len(tokens.requests) - before

    assert spend() == 2
    tokens.clock.pass_time(9.999)
    assert spend() == 0
    tokens.clock.pass_time(0.001)
    assert spend() == 1


def test_of_many_requests_that_are_refused_at_once_each_succeeds_with_one_new_token(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    refuse_first(resource)
    source = source_of(tokens, resource)
    with ThreadPoolExecutor(20) as pool:
        statuses = set(pool.map(lambda _: call(source, "GET", f"{resource.issuer}/orders").status, range(20)))
    assert (statuses, len(tokens.requests)) == ({200}, 2)


def test_where_no_new_token_can_be_had_after_a_401_the_caller_hears_why(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    resource.answer("/orders", reply(401, {}))
    source = source_of(tokens, resource)
    source.get_token()
    tokens.answer_with(reply(503, {}))
    with pytest.raises(TokenUnavailable):
        call(source, "GET", f"{resource.issuer}/orders")


def test_an_answer_of_another_status_renews_nothing(tokens: Tokens, resource: Service, call: Call) -> None:
    resource.answer("/orders", reply(403, {}, www_authenticate='Bearer error="insufficient_scope"'))
    source = source_of(tokens, resource)
    assert call(source, "GET", f"{resource.issuer}/orders").status == 403
    assert (len(tokens.requests), len(resource.received)) == (1, 1)


def test_a_token_is_sent_to_the_origins_of_its_resource_alone(tokens: Tokens, resource: Service, call: Call) -> None:
    port = resource.issuer.rpartition(":")[2]
    for given in ({"resource": "https://orders.example/v1"}, {"resource": ["urn:x:y"]}, {}):
        source = tokens.source(**given)
        origins = (
            [] if given == {"resource": "https://orders.example/v1"} else ["https://orders.example", "https://b.example/x"]
        )
        for url in (f"{resource.issuer}/orders", f"http://localhost:{port}/orders", "http://orders.example/"):
            with pytest.raises(
                ValueError, match=r"Auth: the token is for .*https://orders\.example.*, and is not sent to http"
            ):
                call(source, "GET", url, origins=origins)
    assert (tokens.requests, resource.received) == ([], [])
    source = tokens.source(resource="https://orders.example")
    assert call(source, "GET", f"{resource.issuer}/orders", origins=[resource.issuer]).status == 200


@pytest.mark.parametrize("auth", [for_httpx.Auth, for_httpx2.Auth, for_requests.Auth])
def test_an_auth_without_an_origin_or_for_one_that_is_not_of_https_is_named(tokens: Tokens, auth: Any) -> None:
    for given, origins, message in (
        ({}, (), "no origin is known"),
        ({"resource": "https://x.example"}, "https://x.example", "no origin is known"),
        ({"resource": "urn:x:y"}, (), "'urn:x:y' is not a URL of https"),
        ({"resource": "http://x.example"}, (), "is not a URL of https"),
    ):
        with pytest.raises(ValueError, match=message):
            auth(tokens.source(**given), origins=origins)
    auth(tokens.source(resource="http://x.example", insecure="http"))


def redirect(resource: Service, status: int, location: str) -> None:
    resource.answer("/old", reply(status, {}, location=location))


@pytest.mark.parametrize("dpop", [False, True])
def test_a_redirect_to_another_origin_goes_without_the_token_whatever_that_answers(
    tokens: Tokens, resource: Service, call: Call, dpop: bool
) -> None:
    source = source_of(tokens, resource, dpop=dpop)
    with running_service() as other:
        challenge = {"www_authenticate": 'DPoP error="use_dpop_nonce"', "dpop_nonce": "of-the-other"}
        other.answer("/away", reply(401, {"error": "other"}, **challenge))
        redirect(resource, 307, f"{other.issuer}/away")
        called = call(source, "GET", f"{resource.issuer}/old")
        assert (called.status, called.text) == (401, '{"error": "other"}')
        [received] = other.received
        assert "authorization" not in received.headers
        # httpx sends other headers on.
        assert "dpop" not in received.headers or call is not call_by_requests
    token = source.get_token()
    # It said nothing of the token, and none was sent there a second time.
    assert [token_in(one) for one in resource.received] == [token.authorization]
    assert len(tokens.requests) == 1


_reader = CompactReader(4096)


def proof_in(received: Received) -> CompactJws:
    jws = _reader.read(received.headers["dpop"])
    assert jws is not None
    return jws


def check(tokens: Tokens, received: Received, url: str) -> str:
    """The thumbprint of the key of a good proof of this request."""
    jws = proof_in(received)
    jwk = jws.header["jwk"]
    verify = load_public_key(jwk, "ES256")
    assert verify is not None
    assert verify(jws.signature, jws.signed)
    checked = check_proof_claims(jws.payload, received.method, url, tokens.clock.wall_ms)
    assert not isinstance(checked, str), checked
    assert set(jwk) == {"kty", "crv", "x", "y"}
    thumbprint = thumbprint_of(jwk)
    assert thumbprint is not None
    return thumbprint


def test_a_bound_token_goes_with_a_proof_for_each_request(tokens: Tokens, resource: Service, call: Call) -> None:
    source = source_of(tokens, resource, dpop=True)
    resource.answer("/orders/7?page=2", reply(200, {}))
    for method in ("GET", "POST"):
        assert call(source, method, f"{resource.issuer}/orders/7?page=2").status == 200
    token = source.get_token()
    keys = {check(tokens, one, f"{resource.issuer}/orders/7") for one in resource.received}
    keys.add(check(tokens, tokens.requests[0], f"{tokens.service.issuer}/oauth/token"))
    assert len(keys) == 1
    proofs = [proof_in(one).payload for one in resource.received]
    assert len({proof["jti"] for proof in proofs}) == 2
    assert {proof["htu"] for proof in proofs} == {f"{resource.issuer}/orders/7"}
    assert [proof["htm"] for proof in proofs] == ["GET", "POST"]
    assert "ath" not in proof_in(tokens.requests[0]).payload
    from mintmark_auth.proofs.dpop import digest_of

    assert {proof["ath"] for proof in proofs} == {digest_of(token.value)}
    assert {token_in(one) for one in resource.received} == {f"DPoP {token.value}"}


def nonces_of(received: list[Received]) -> list[str | None]:
    return [proof_in(one).payload.get("nonce") for one in received]


def demand_nonces(service: Service, path: str, good: Handle, challenge: Handle) -> None:
    """Demands the nonce that it gave last, and gives another with each answer."""
    given = [0]

    def answer(handler: Handler) -> Answer | None:
        jws = _reader.read(handler.headers["dpop"])
        assert jws is not None
        is_good = jws.payload.get("nonce") == f"nonce-{given[0]}"
        given[0] += 1
        made = (good if is_good else challenge)(handler)
        assert made is not None
        made.headers["dpop-nonce"] = f"nonce-{given[0]}"
        return made

    service.answer(path, answer)


DEMAND = reply(401, {}, www_authenticate='DPoP error="use_dpop_nonce", algs="ES256"')


def test_a_nonce_that_a_resource_server_demands_is_sent_at_once_and_kept(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    demand_nonces(resource, "/orders", reply(200, {}), DEMAND)
    source = source_of(tokens, resource, dpop=True)
    for _ in range(2):
        assert call(source, "POST", f"{resource.issuer}/orders", content=b"x").status == 200
    assert nonces_of(resource.received) == [None, "nonce-1", "nonce-2"]
    assert len(tokens.requests) == 1


def test_a_nonce_that_the_token_endpoint_demands_is_sent_once_and_goes_to_no_other_server(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    source = source_of(tokens, resource, dpop=True)
    demand_nonces(tokens.service, "/oauth/token", good_token(token_type="DPoP"), reply(400, {"error": "use_dpop_nonce"}))
    assert call(source, "GET", f"{resource.issuer}/orders").status == 200
    assert nonces_of(tokens.requests) == [None, "nonce-1"]
    assert nonces_of(resource.received) == [None]
    # One that demands for ever what it does not take is asked twice.
    demand = reply(400, {"error": "use_dpop_nonce"})
    demand_nonces(tokens.service, "/oauth/token", demand, demand)
    assert refused(tokens.source(dpop=True).get_token).error == "use_dpop_nonce"
    assert nonces_of(tokens.requests)[2:] == [None, "nonce-1"]
    # And once where it demands the one that it was sent.
    tokens.answer_with(reply(400, {"error": "use_dpop_nonce"}, dpop_nonce="same"))
    other = tokens.source(dpop=True)
    refused(other.get_token)
    tokens.clock.pass_time(1)
    refused(other.get_token)
    assert nonces_of(tokens.requests)[4:] == [None, "same", "same"]


def test_a_server_that_demands_a_new_nonce_for_ever_is_asked_twice_a_token(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    demand_nonces(resource, "/orders", DEMAND, DEMAND)
    assert call(source_of(tokens, resource, dpop=True), "GET", f"{resource.issuer}/orders").status == 401
    assert len(resource.received) == 4
    assert len(tokens.requests) == 2


def take_chunks_then(handle: Handle) -> Handle:
    def answer(handler: Handler) -> Answer | None:
        while int(handler.rfile.readline(), 16):
            handler.rfile.readline()
        handler.rfile.readline()
        return handle(handler)

    return answer


def test_a_nonce_for_a_body_that_is_there_once_is_kept_for_the_next_request_and_the_token_too(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    demand_nonces(resource, "/orders", reply(200, {}), DEMAND)
    source = source_of(tokens, resource, dpop=True)
    demanding = resource.answers["/orders"]
    resource.answer("/orders", take_chunks_then(demanding))
    assert call(source, "POST", f"{resource.issuer}/orders", content=stream_of(call)).status == 401
    resource.answer("/orders", demanding)
    assert call(source, "GET", f"{resource.issuer}/orders").status == 200
    assert nonces_of(resource.received) == [None, "nonce-1"]
    assert len(tokens.requests) == 1


def test_a_slow_server_that_refuses_every_token_is_asked_twice(tokens: Tokens, resource: Service, call: Call) -> None:
    def refuse_late(handler: Handler) -> Answer | None:
        tokens.clock.pass_time(10)
        return reply(401 if len(resource.received) < 5 else 200, {})(handler)

    resource.answer("/orders", refuse_late)
    assert call(source_of(tokens, resource), "GET", f"{resource.issuer}/orders").status == 401
    assert len(resource.received) == 2


def test_the_nonces_of_the_100_servers_that_were_last_learned_are_kept(tokens: Tokens) -> None:
    prover = Prover(tokens.clock.clock())

    def address(n: int) -> WebAddress:
        parsed = parse_web_address(f"https://n{n}.example/")
        assert parsed is not None
        return parsed

    def nonce_for(n: int) -> str | None:
        jws = _reader.read(prover.prove("GET", address(n)).text)
        assert jws is not None
        return jws.payload.get("nonce")

    unaware = Proof("", None)
    assert all(prover.learn(address(n), f"nonce-{n}", unaware) for n in range(100))
    assert not prover.learn(address(0), "nonce-0", prover.prove("GET", address(0)))
    assert prover.learn(address(100), "nonce-100", unaware)
    assert [nonce_for(n) for n in (0, 1, 2, 100)] == ["nonce-0", None, "nonce-2", "nonce-100"]
    assert [prover.learn(address(7), nonce, unaware) for nonce in (None, "", "a b", 'a"b', "x" * 513)] == [False] * 5
    assert prover.learn(address(7), "x" * 512, unaware)


@pytest.mark.parametrize("to", ["/new", "/old?again", "/old"])
@pytest.mark.parametrize(("status", "method"), [(307, "POST"), (303, "GET")])
def test_a_redirect_within_the_origin_gets_a_proof_of_its_own(
    tokens: Tokens, resource: Service, call: Call, to: str, status: int, method: str
) -> None:
    """A proof is taken once, also where the redirect leads back."""
    seen: set[object] = set()

    def answer(handler: Handler) -> Answer | None:
        jws = _reader.read(handler.headers["dpop"] or "")
        aim = None if jws is None else (jws.payload["htu"], jws.payload["htm"])
        is_good = aim == (resource.issuer + handler.path.partition("?")[0], handler.command)
        proof = None if jws is None else jws.payload["jti"]
        if not is_good or proof in seen:
            return reply(401, {})(handler)
        seen.add(proof)
        return reply(status, {}, location=to)(handler) if len(seen) == 1 else reply(200, {})(handler)

    resource.answer("/old", answer)
    resource.answer(to, answer)
    source = source_of(tokens, resource, dpop=True)
    assert call(source, "POST", f"{resource.issuer}/old", content=b"x").status == 200
    assert resource.received[-1].method == method
    # No token was taken for bad because its proof was for another request.
    assert len(tokens.requests) == 1


def test_the_flow_holds_no_lock_while_a_request_is_on_its_way(tokens: Tokens, resource: Service) -> None:
    source = source_of(tokens, resource, dpop=True)
    flow = for_httpx.Auth(source).sync_auth_flow(httpx.Request("GET", f"{resource.issuer}/orders"))
    next(flow)
    done = threading.Event()

    def work() -> None:
        token = source.get_token()
        source.invalidate(token)
        source.get_token()
        next(for_httpx.Auth(source).sync_auth_flow(httpx.Request("GET", f"{resource.issuer}/orders")))
        done.set()

    threading.Thread(target=work, daemon=True).start()
    assert done.wait(5)
    flow.close()


def test_an_auth_of_a_source_that_is_unavailable_sends_nothing(tokens: Tokens, resource: Service, call: Call) -> None:
    tokens.answer_with(reply(503, {}))
    source = source_of(tokens, resource)
    with pytest.raises(TokenUnavailable):
        call(source, "GET", f"{resource.issuer}/orders")
    assert resource.received == []
    assert unavailable(source.get_token).reason == "the token endpoint answers 503"


def test_five_redirects_within_the_origin_get_proofs_and_a_sixth_does_not(
    tokens: Tokens, resource: Service, call: Call
) -> None:
    def answer(handler: Handler) -> Answer | None:
        jws = _reader.read(handler.headers["dpop"] or "")
        if jws is None or jws.payload["htu"] != resource.issuer + handler.path:
            return reply(401, {})(handler)
        n = int(handler.path[1:])
        return reply(200, {})(handler) if n == last else reply(307, {}, location=f"/{n + 1}")(handler)

    for n in range(8):
        resource.answer(f"/{n}", answer)
    source = source_of(tokens, resource, dpop=True)
    last = 5
    assert call(source, "GET", f"{resource.issuer}/0").status == 200
    last = 6
    assert call(source, "GET", f"{resource.issuer}/0").status == 401
    assert len(tokens.requests) == 1


@pytest.mark.parametrize("is_bound", [False, True], ids=["Bearer", "DPoP"])
def test_a_token_that_was_left_behind_at_another_origin_does_not_come_back(
    tokens: Tokens, resource: Service, call: Call, is_bound: bool
) -> None:
    """To an address that the other origin chose."""
    source = source_of(tokens, resource, dpop=is_bound)
    with running_service() as other:
        resource.answer("/go", reply(307, {}, location=f"{other.issuer}/x"))
        other.answer("/x", reply(307, {}, location=f"{resource.issuer}/delete"))
        resource.answer("/delete", reply(401, {}))
        assert call(source, "POST", f"{resource.issuer}/go", content=b"x").status == 401
    assert [it.path for it in resource.received if "authorization" in it.headers] == ["/go"]
    assert len(tokens.requests) == 1


def test_all_who_meet_a_new_nonce_at_once_repeat_their_request(tokens: Tokens, resource: Service, call: Call) -> None:
    source, all_asked = source_of(tokens, resource, dpop=True), threading.Barrier(4)

    def answer(handler: Handler) -> Answer | None:
        jws = _reader.read(handler.headers["dpop"])
        assert jws is not None
        if jws.payload.get("nonce") == "new":
            return reply(200, {})(handler)
        all_asked.wait(10)
        return reply(401, {}, www_authenticate='DPoP error="use_dpop_nonce"', dpop_nonce="new")(handler)

    resource.answer("/orders", answer)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(call, source, "GET", f"{resource.issuer}/orders") for _ in range(4)]
        assert [one.result().status for one in asked] == [200] * 4
    assert len(tokens.requests) == 1
