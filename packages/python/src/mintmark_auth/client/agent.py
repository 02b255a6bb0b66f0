"""What the sources of one agent share in each process: connections, threads, the proof key, the token endpoint."""

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..tokens.strict_json import JsonObject, is_json_object, parse_object
from ..wire.clock import Clock
from ..wire.http import HttpClient, Request, outcome_of
from ..wire.threads import Job, Workers, block
from ..wire.web_address import WebAddress, parse_web_address
from .dpop import Prover
from .errors import Fault, harmless
from .options import Settings
from .text_file import StrPath, name_of, read_text_file

if TYPE_CHECKING:
    from ssl import SSLContext

ANSWER_BYTES_MAX: Final = 65_536
METADATA_MS_MAX: Final = 3_600_000
_WELL_KNOWN = "/.well-known/oauth-authorization-server"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    def parse(self) -> JsonObject:
        """Its object of JSON; an empty one for everything else."""
        return parse_object(self.body) or {}


def _present_certificate(context: "SSLContext | None", files: tuple[StrPath, StrPath]) -> "SSLContext":
    from ssl import SSLError, create_default_context

    certificate, key = files
    context = create_default_context() if context is None else context
    try:
        # A key with a password is refused: nobody is there to be asked for it.
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (SSLError, OSError, ValueError):
        raise Fault(f"{name_of(certificate)} and {name_of(key)} are no certificate with its key, both PEM") from None
    return context


class Connected:
    """In one process. What it does may block: it is called by a job, which is interrupted when it is late."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.pid: int = os.getpid()
        self.settings = settings
        self.clock = clock
        self.lock: threading.Lock = threading.Lock()
        self.workers: Workers = Workers()
        self.prover: Prover | None = Prover(clock) if settings.dpop else None
        self._loading = threading.Lock()
        # With the digest of the certificate that it presents.
        self._http = (b"", HttpClient(settings.destination))
        self._endpoint: tuple[WebAddress, int] | None = None

    def send(
        self, job: Job[Any], url: str, headers: Mapping[str, str], body: bytes | None = None, share: float = 1
    ) -> Answer:
        """Raises RequestFailure or TimeoutError where there is no whole answer, Fault for a bad certificate.

        share: The part that it may take of the time that is left.
        """
        heads: list[tuple[int, Mapping[str, str]]] = []
        http = self._connect(job.seconds_left())
        seconds = job.seconds_left() * share
        if seconds <= 0:
            raise TimeoutError
        request = Request(
            url,
            ANSWER_BYTES_MAX,
            "GET" if body is None else "POST",
            {"accept": "application/json", **headers},
            body,
            seconds,
            answered=lambda status, head: heads.append((status, head)),
        )
        exchange = http.prepare(request, bytes)
        job.interrupt_by(exchange.end_wait)
        # On a thread of the connections: this one gives up in time, also where a head comes drop by drop.
        exchange.start()
        block(exchange.future, exchange.seconds_left())
        exchange.end_wait()
        job.interrupt_by(None)
        received = outcome_of(exchange, request)
        return Answer(*heads[-1], received)

    def find_endpoint(self, job: Job[Any]) -> WebAddress:
        """From the metadata (RFC 8414); asks again after an hour, and goes on with what it knows where that fails."""
        known = self._endpoint
        if known is None or self.clock.counted_ms() - known[1] >= METADATA_MS_MAX:
            try:
                # Of one that hangs the old answer is used, while there is time to.
                known = (self._read_endpoint(job, 1 if known is None else 0.5), self.clock.counted_ms())
            except Exception:
                if known is None:
                    raise
            self._endpoint = known
        return known[0]

    def _read_endpoint(self, job: Job[Any], share: float) -> WebAddress:
        issuer = self.settings.destination.issuer
        address = parse_web_address(issuer)
        assert address is not None  # noqa: S101 - the options were checked
        # The well-known part stands between host and path (RFC 8414 §3.1).
        url = address.origin + _WELL_KNOWN + ("" if address.path == "/" else address.path)
        answer = self.send(job, url, {}, share=share)
        metadata = answer.parse()
        if answer.status != 200 or not metadata:
            raise Fault(f"no metadata at {url} (status {answer.status})")
        named = metadata.get("issuer")
        # RFC 8414 §3.3: exactly, or somebody else answers in its place.
        if named != issuer:
            said = json.dumps(harmless(named if isinstance(named, str) else ""))
            raise Fault(f"the metadata at {url} is of the issuer {said}; expected {json.dumps(issuer)}")
        # A client with a certificate may have to go to another address (RFC 8705 §5).
        has_certificate = self.settings.credential.certificate is not None
        aliases = metadata.get("mtls_endpoint_aliases", metadata) if has_certificate else metadata
        if not is_json_object(aliases):
            raise Fault("the metadata holds mtls_endpoint_aliases that are no object")
        return self._parse_endpoint((aliases if "token_endpoint" in aliases else metadata).get("token_endpoint"))

    def _parse_endpoint(self, text: object) -> WebAddress:
        if not isinstance(text, str):
            raise Fault("the metadata names no token endpoint")
        address = parse_web_address(text)
        if "@" in text and (address is None or address.has_user):
            # What stands before it may be a password.
            raise Fault("the metadata names a token endpoint with a user name")
        if address is None or not (address.is_protected or self.settings.destination.is_insecure):
            raise Fault(f"the metadata names a token endpoint that is not of https: {harmless(text)}")
        return address

    def _connect(self, seconds: float) -> HttpClient:
        """Connections with the certificate as its files are now."""
        settings = self.settings
        files = settings.credential.certificate
        if files is None:
            return self._http[1]
        for path in files:
            # OpenSSL reads them by itself, and would wait at a pipe.
            if Path(path).exists() and not Path(path).is_file():
                raise Fault(f"{name_of(path)} is no file")
        digest = hashlib.sha256("\0".join(read_text_file(path, seconds) for path in files).encode()).digest()
        # One at a time: the certificate and its key are loaded one after the other.
        with self._loading:
            if self._http[0] != digest:
                context = _present_certificate(settings.destination.ssl_context, files)
                self._http = (digest, HttpClient(replace(settings.destination, ssl_context=context)))
            return self._http[1]


class Agent:
    """The same in each process."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings = settings
        self._clock = clock
        self._renewing = threading.Lock()
        self._connected = Connected(settings, clock)
        _agents.add(self)

    def present(self) -> Connected:
        """That of this process, also where a server forked without the hooks of Python."""
        if self._connected.pid != os.getpid():
            with self._renewing:
                if self._connected.pid != os.getpid():
                    self._connected = Connected(self.settings, self._clock)
        return self._connected

    def renew(self) -> None:
        """Sets fields alone: it runs in a child right after the fork, where other threads may have left any lock locked."""
        self._renewing = threading.Lock()
        self._connected = Connected(self.settings, self._clock)


_agents: "weakref.WeakSet[Agent]" = weakref.WeakSet()


def _renew_all() -> None:
    for agent in list(_agents):
        agent.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
