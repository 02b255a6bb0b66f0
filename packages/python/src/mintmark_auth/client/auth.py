"""What a token is sent with to a resource server, and what its answer leads to: once more with a nonce, or a new token."""

import re
from abc import abstractmethod
from collections.abc import AsyncGenerator, Collection, Generator, Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from ..wire.web_address import parse_web_address
from .access_token import AccessToken
from .cache import TokenCache
from .source import TokenSource

Next: TypeAlias = Literal["done", "again", "renew", "moved"]
"""`again`: with the nonce that was demanded. `renew`: with another token. `moved`: with a proof for where it was led."""

Q = TypeVar("Q")
S = TypeVar("S")

# RFC 9449 §9.
_NEEDS_NONCE = re.compile(r"\buse_dpop_nonce\b")
# A client may follow redirects by itself, which send a proof for the address before.
_MOVES_MAX = 5


def _origin_of(url: str, is_insecure: bool) -> str:
    address = parse_web_address(url)
    if address is None or not (address.is_protected or is_insecure):
        raise ValueError(f"Auth: {url!r} is not a URL of https. Give origins, such as ['https://orders.example'].")
    return address.origin


def parse_origins(source: TokenSource, origins: Collection[str]) -> frozenset[str]:
    """Where tokens of the source may go. Raises ValueError where that is nowhere."""
    settings, grant = source._agent.settings, source._grant  # pyright: ignore[reportPrivateUsage]
    given = grant.resources if isinstance(origins, str) or not origins else origins
    if isinstance(origins, str) or not given:
        raise ValueError("Auth: no origin is known. Give origins as a list, or make the source for a resource.")
    return frozenset(_origin_of(url, settings.destination.is_insecure) for url in given)


class Sending:
    """One request to a resource server, with all that is sent again for it."""

    def __init__(self, source: TokenSource, origins: frozenset[str]) -> None:
        self._cache: TokenCache = source._present()  # pyright: ignore[reportPrivateUsage]
        self._origins = origins
        self._moves = 0
        self._has_repeated = self._has_renewed = False

    def aim(self, request: Any, is_repeatable: bool) -> None:
        """At this request. Raises ValueError for an address to which the token must not go."""
        url = str(request.url)
        address = parse_web_address(url)
        if address is None or address.origin not in self._origins:
            origin = "what is no URL" if address is None else address.origin
            raise ValueError(
                f"Auth: the token is for {', '.join(sorted(self._origins))}, and is not sent to {origin}. "
                "Send that request without auth, or give origins."
            )
        self._request, self._address, self._is_repeatable = request, address, is_repeatable

    def headers_for(self, token: AccessToken) -> Mapping[str, str]:
        self._token = token
        prover = self._cache.connected.prover
        if prover is None:
            return {"Authorization": token.authorization}
        self._proof = prover.prove(self._request.method, self._address, token.value)
        return {"Authorization": token.authorization, "DPoP": self._proof.text}

    def judge(self, status: int, headers: Mapping[str, str], request: Any, is_repeatable: bool) -> Next:
        """What the answer to this request leads to. One of another origin was sent no token and says nothing of it. A
        redirect that comes back from there left the token behind: it does not go to an address that others chose."""
        address = parse_web_address(str(request.url))
        if address is None or address.origin != self._address.origin:
            return "done"
        if request.headers.get("authorization") != self._token.authorization:
            return "done"
        prover = self._cache.connected.prover
        is_new_nonce = prover is not None and prover.learn(address, headers.get("dpop-nonce"), self._proof)
        if status != 401:
            return "done"
        # What a redirect made of it went without a proof of its own.
        if prover is not None and request is not self._request:
            self._moves += 1
            return "moved" if is_repeatable and self._moves <= _MOVES_MAX else "done"
        if is_new_nonce and not self._has_repeated and _NEEDS_NONCE.search(headers.get("www-authenticate") or ""):
            self._has_repeated = True
            return "again" if self._is_repeatable else "done"
        if self._has_renewed or not self._cache.renew(self._token):
            return "done"
        self._has_renewed, self._has_repeated = True, False
        return "renew" if self._is_repeatable else "done"


class Flow(Generic[Q, S]):
    """The flow of httpx and of httpx2, which have the same names. Holds no lock across `yield`."""

    def __init__(self, source: TokenSource, *, origins: Collection[str] = ()) -> None:
        """Raises ValueError where no origin is known.

        origins: Where the token may be sent; the origins of the resource of the source unless given. A request to another
            one is a ValueError, and a redirect to one goes without the token, also one from http to https of the same host:
            that is another origin. httpx sends the proof on, which is of no use without it.
        """
        self._source = source
        self._origins = parse_origins(source, origins)

    @abstractmethod
    def _is_repeatable(self, request: Q) -> bool:
        """Whether the body can be sent again."""

    def _aim(self, sending: Sending, request: Any) -> None:
        sending.aim(request, self._is_repeatable(request))

    def _judge(self, sending: Sending, response: Any) -> Next:
        request = response.request
        return sending.judge(response.status_code, response.headers, request, self._is_repeatable(request))

    def _steps(self, request: Any) -> Generator[Any, Any, None]:
        """Yields each request that is to be sent, for its response, and None where it needs a token, for that."""
        sending = Sending(self._source, self._origins)
        self._aim(sending, request)
        token = yield None
        while True:
            request.headers.update(sending.headers_for(token))
            response = yield request
            step = self._judge(sending, response)
            if step == "done":
                return
            if step == "moved":
                request = response.request
                self._aim(sending, request)
            # As the digest of httpx does. It changes no header that is there.
            response.cookies.set_cookie_header(request)
            if step == "renew":
                token = yield None

    def sync_auth_flow(self, request: Q) -> Generator[Q, S, None]:
        steps, given = self._steps(request), None
        while True:
            try:
                wanted = steps.send(given)
            except StopIteration:
                return
            given = self._source.get_token() if wanted is None else (yield wanted)

    async def async_auth_flow(self, request: Q) -> AsyncGenerator[Q, S]:
        steps, given = self._steps(request), None
        while True:
            try:
                wanted = steps.send(given)
            except StopIteration:
                return
            given = await self._source.aget_token() if wanted is None else (yield wanted)
