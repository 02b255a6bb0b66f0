"""Where an agent gets its tokens: configured once, asked before every use."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NoReturn

from ..wire.clock import Clock
from ..wire.threads import afinish, finish
from .access_token import AccessToken
from .agent import Agent
from .cache import TokenCache
from .options import TIMEOUT_USUAL, Grant, parse_grant, parse_settings
from .signing_key import JWK
from .text_file import StrPath

if TYPE_CHECKING:
    from ssl import SSLContext


def ignore(fault: Exception) -> None:
    """The token before it is still valid, and who needs another one hears of it."""


class TokenSource:
    """Tokens of an agent. One for a process, an agent and a resource, made at import if you like; threads and event loops
    share it. It fetches a token when one is needed, keeps it until 70 to 85 % of its life, and replaces it in time."""

    def __init__(
        self,
        issuer: str,
        client_id: str | None = None,
        *,
        client_secret: str | None = None,
        client_secret_file: StrPath | None = None,
        private_key: JWK | None = None,
        private_key_file: StrPath | None = None,
        workload_token_file: StrPath | None = None,
        client_certificate: tuple[StrPath, StrPath] | None = None,
        resource: str | Sequence[str] = (),
        scopes: Sequence[str] = (),
        subject_token: str | None = None,
        dpop: bool = False,
        timeout: float = TIMEOUT_USUAL,
        on_refresh_failure: Callable[[Exception], object] = ignore,
        insecure: Literal["http"] | None = None,
        ssl_context: "SSLContext | None" = None,
        proxy: str | None = None,
    ) -> None:
        """Exactly one credential; files are read for each token. Raises ValueError for the first option that is wrong.
        Requests nothing, starts no thread.

        issuer: The base URL of the service, exactly as in its metadata: `https`, or `http` on loopback.
        client_id: Needed with every credential but `workload_token_file`.
        client_secret, client_secret_file: The secret (RFC 6749 §2.3.1).
        private_key, private_key_file: A private JWK, in a file also PEM, that signs assertions (RFC 7523): ES256, ES384,
            EdDSA, RS256 or PS256.
        workload_token_file: A JWT of the platform, as Kubernetes mounts it, which is the assertion (RFC 7523).
        client_certificate: The files of a certificate and of its key, both PEM, for TLS (RFC 8705 §2).
        resource: What the token is for (RFC 8707), one URI or several; the default of the agent unless given.
        scopes: Items such as `db:read`; the default of the agent unless given.
        subject_token: An access token that was received: exchanged for one on behalf of its subject (RFC 8693).
        dpop: Binds tokens to a key that each process makes and keeps (RFC 9449): send them by an `Auth` of this package.
        timeout: The seconds that a token may take, from 0.001 to 300, with all requests for it.
        on_refresh_failure: Hears of a refresh that failed and for which nobody waits, on a thread of its own. A plain
            function: no event loop runs there.
        insecure: `http` accepts http beyond loopback, for the issuer, its token endpoint and the origins of an `Auth`, in a
            network where nobody else can read along: secrets and tokens go over it as they are.
        ssl_context: What connections to the service are verified by. With `client_certificate` give one of its own: the
            certificate is loaded into it.
        proxy: The proxy to the service; that of the environment unless given.
        """
        options = {
            "client_secret": client_secret,
            "client_secret_file": client_secret_file,
            "private_key": private_key,
            "private_key_file": private_key_file,
            "workload_token_file": workload_token_file,
            "client_certificate": client_certificate,
            "dpop": dpop,
            "timeout": timeout,
            "on_refresh_failure": on_refresh_failure,
            "insecure": insecure,
            "ssl_context": ssl_context,
            "proxy": proxy,
        }
        settings = parse_settings(issuer, client_id, options)
        self._begin(Agent(settings, Clock()), parse_grant(resource, scopes, subject_token))

    def _begin(self, agent: Agent, grant: Grant) -> None:
        self._agent = agent
        self._grant = grant
        self._cache = TokenCache(agent.present(), grant)

    def get_token(self) -> AccessToken:
        """A token that is valid for now, from memory where there is one. Raises TokenRefused or TokenUnavailable."""
        cache = self._present()
        token = cache.recall()
        return finish(cache.get()) if token is None else token

    async def aget_token(self) -> AccessToken:
        """The same, and never blocks the event loop: from memory it ends at once. The request of a caller that goes away
        goes on for the others."""
        cache = self._present()
        token = cache.recall()
        return await afinish(cache.get()) if token is None else token

    def invalidate(self, token: AccessToken) -> None:
        """A server refused it: the next call fetches another one, if this is the current one."""
        if not isinstance(token, AccessToken):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("invalidate: the argument is not an AccessToken.")
        self._present().drop(token)

    def on_behalf_of(
        self, subject_token: str, *, resource: str | Sequence[str], scopes: Sequence[str] = ()
    ) -> "TokenSource":
        """A source of tokens on behalf of the subject of a received one (RFC 8693), with the credential, the connections and
        the proof key of this source. One for each subject."""
        grant = parse_grant(resource, scopes, subject_token)
        if grant.subject_token is None:
            raise ValueError("on_behalf_of: subject_token is None: the token would be that of the agent itself.")
        other = object.__new__(TokenSource)
        other._begin(self._agent, grant)
        return other

    def _present(self) -> TokenCache:
        """The cache of this process: in a child of a fork the tokens of the parent are not handed out."""
        connected = self._agent.present()
        if self._cache.connected is not connected:
            with connected.lock:
                if self._cache.connected is not connected:
                    self._cache = TokenCache(connected, self._grant)
        return self._cache

    def __repr__(self) -> str:
        settings, resources = self._agent.settings, list(self._grant.resources)
        return f"TokenSource({settings.destination.issuer!r}, {settings.client_id!r}, resource={resources!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A TokenSource has threads and secrets of its own: make one in each process, do not pickle it.")
