"""HTTP exchanges with a service that may hang, lie or answer without end: each bounded in time and in bytes.

urllib3 bounds single steps; the whole is bounded here.
"""

import contextlib
import errno
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from .destination import Destination
from .threads import Failed, Job, Steps, Wait, Workers
from .web_address import parse_web_address

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

T = TypeVar("T")

_CHUNK_BYTES = 65_536
_CAUSES_MAX = 10
_RETRY_AFTER_MAX = 30.0
_PROXY_SCHEMES: Final = ("http://", "https://")
# What requests need, and takes a while to load; encodings.idna is what resolving a name needs.
_MODULES: Final = ("concurrent.futures", "email.utils", "encodings.idna", "urllib.request", ".pools")


class RequestFailure(Exception):
    """A request that gave no answer to be used. The message holds no header and no body."""

    def __init__(self, message: str, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """0 where there was no answer at all."""
        self.retry_after = retry_after
        """Seconds that the service states; None where it states none."""


@dataclass(frozen=True, slots=True)
class Request:
    url: str
    bytes_max: int
    method: Literal["GET", "POST"] = "GET"
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: bytes | None = None
    seconds_max: float = 5.0
    """The deadline of the last byte of the response; of a stream, unless its job is extended."""
    success: Literal[200, 204] = 200
    """The status of an answer to be used."""
    answered: Callable[[int, Mapping[str, str]], object] | None = None
    """Takes status and headers of an answer of any status, of which the body is then read too."""


def describe_fault(fault: BaseException) -> str:
    """The name of a fault without what it may carry."""
    return str(fault) if isinstance(fault, RequestFailure) else f"{type(fault).__name__}: {fault}"[:200]


def _cause_of(fault: BaseException) -> str:
    """A code such as ECONNREFUSED, else what kind of error began it. Messages are left out: they may hold a credential."""
    for _ in range(_CAUSES_MAX):
        # Errors of TLS have numbers of their own.
        number = fault.errno if isinstance(fault, OSError) and type(fault).__module__ != "ssl" else None
        if number is not None and number in errno.errorcode:
            return errno.errorcode[number]
        inner = [it for it in (fault.__cause__, fault.__context__, *fault.args) if isinstance(it, BaseException)]
        if not inner:
            break
        fault = inner[0]
    return type(fault).__name__


class HttpClient:
    """Connections to the service, kept for the next request. Follows no redirect: a credential must not go where an answer
    points to. Takes the proxy of the environment unless one is given."""

    def __init__(self, destination: Destination) -> None:
        # In the thread that makes a verifier. Were threads of its own to load them, a child of a fork right then would wait
        # for imports that nobody goes on with.
        for module in _MODULES:
            import_module(module, __package__)
        self._workers = Workers()
        self._destination = destination
        self._pools: dict[str | None, PoolManager] = {}

    def prepare(self, request: Request, use: Callable[[bytes], T]) -> Job[T]:
        """A job that sends the request, and has the body of a success read. It fails with RequestFailure for all else."""

        def run(job: Job[T]) -> T:
            body = _Body(request.bytes_max)
            self._exchange(request, job, body.receive)
            return use(bytes(body.received))

        return Job(self._workers, run, request.seconds_max)

    def prepare_stream(self, request: Request, receive: Callable[[bytes], None]) -> Job[None]:
        """A job that sends the request, and hands over what comes as it comes, until that ends or the job is late."""
        return Job(self._workers, lambda job: self._exchange(request, job, receive), request.seconds_max)

    def end_late(self) -> None:
        """Interrupts requests whose time is over."""
        self._workers.end_late()

    def send(self, request: Request) -> Steps[bytes]:
        """The body of a success. Raises RequestFailure for everything else."""
        job = self.prepare(request, bytes)
        job.start()
        yield Wait(job.future, request.seconds_max)
        return outcome_of(job, request)

    def close(self) -> None:
        """Interrupts what is under way."""
        self._workers.close()
        pools, self._pools = self._pools, {}
        for some in pools.values():
            some.clear()

    def _pools_for(self, url: str) -> "PoolManager":
        """By the proxy: the environment may name one for this host and none for another."""
        proxy = self._destination.proxy or _proxy_of_environment(url)
        pools = self._pools.get(proxy)
        if pools is None:
            from .pools import make_pools

            pools = self._pools[proxy] = make_pools(proxy, self._destination.ssl_context)
        return pools

    def _exchange(self, request: Request, job: Job[Any], receive: Callable[[bytes], None]) -> None:
        from .pools import current

        current.job = job
        try:
            with _on_wire(request, job):
                response = self._pools_for(request.url).request(
                    request.method,
                    request.url,
                    body=request.body,
                    headers=dict(request.headers),
                    redirect=False,
                    retries=False,
                    preload_content=False,
                    timeout=max(0.001, job.seconds_left()),
                )
            _read(response, request, job, receive)
        finally:
            job.interrupt_by(None)
            current.job = None


@contextlib.contextmanager
def _on_wire(request: Request, job: Job[Any]) -> Generator[None]:
    """Faults of the wire, whatever raised them, are RequestFailure."""
    try:
        yield
    except RequestFailure:
        raise
    except Exception as fault:
        if job.seconds_left() <= 0:
            raise _late(request) from fault
        raise RequestFailure(f"The request failed: {_cause_of(fault)}") from fault


def outcome_of(job: Job[T], request: Request) -> T:
    """What the job of a request came to. Raises what it raised, or RequestFailure where it has not ended in its time."""
    if not job.future.done():
        raise _late(request)
    outcome = job.future.result()
    if not isinstance(outcome, Failed):
        return outcome
    raise _late(request) if isinstance(outcome.fault, TimeoutError) else outcome.fault


def _late(request: Request) -> RequestFailure:
    return RequestFailure(f"The request failed: no whole answer within {round(request.seconds_max * 1000)} ms")


class _Body:
    """An answer that is of use as a whole."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.received = bytearray()

    def receive(self, chunk: bytes) -> None:
        self.received += chunk
        if len(self.received) > self._bytes_max:
            raise RequestFailure(f"The request failed: the answer has more than {self._bytes_max} bytes")


def _read(response: "BaseHTTPResponse", request: Request, job: Job[Any], receive: Callable[[bytes], None]) -> None:
    """The body as it came: one that is compressed, which nobody asked for, is not what was asked for."""
    try:
        if request.answered is not None:
            request.answered(response.status, response.headers)
        elif response.status != request.success:
            retry_after = parse_retry_after(response.headers.get("retry-after"), time.time())
            raise RequestFailure(f"The service responded {response.status}.", response.status, retry_after)
        while job.seconds_left() > 0 and (chunk := _read_chunk(response, request, job)):
            receive(chunk)
        # Of one that was interrupted the end may look like the end of an answer.
        if job.seconds_left() <= 0:
            raise _late(request)
    except BaseException:
        response.close()
        raise
    response.release_conn()


def _read_chunk(response: "BaseHTTPResponse", request: Request, job: Job[Any]) -> bytes:
    with _on_wire(request, job):
        return response.read1(_CHUNK_BYTES, decode_content=False)


def parse_retry_after(header: str | None, wall: float, most: float = _RETRY_AFTER_MAX) -> float | None:
    """The wait in seconds, of 1 to the most, that `Retry-After` states (RFC 9110 §10.2.3); None where it cannot be read. A
    verifier that waits for longer is stale for longer than a service can want."""
    from email.utils import parsedate_to_datetime

    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return min(max(float(text[:9]), 1), most)
    try:
        return min(max(parsedate_to_datetime(text).timestamp() - wall, 1), most)
    except (ValueError, OverflowError):
        return None


def _proxy_of_environment(url: str) -> str | None:
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    address, web_address = urlsplit(url), parse_web_address(url)
    # What stays in this machine may be of http, so it must not leave it.
    if web_address is not None and web_address.is_loopback:
        return None
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(address.netloc.rpartition("@")[2]):
        return None
    if "://" in proxy and not proxy.lower().startswith(_PROXY_SCHEMES):
        raise RequestFailure("The proxy is none of http or https.")
    return proxy if "://" in proxy else f"http://{proxy}"
