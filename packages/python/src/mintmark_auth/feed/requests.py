"""The requests of a follower (docs/apis/feed-protocol.md, "Requests"), and their answers, verified."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import quote, urlencode

from ..tokens.key_set import KeySet
from ..tokens.signatures import SignedReader, signature_refusal
from ..tokens.strict_json import JsonObject, parse_object
from ..verify.refusals import Refusal
from ..wire.http import HttpClient, Request, RequestFailure, outcome_of
from ..wire.threads import Job, block, finish
from .document import Changes, Head, Place, Snapshot, read_changes, read_head, read_snapshot

T = TypeVar("T")

DOCUMENT_CHARACTERS_MAX: Final = 33_554_432
"""A longer one is not read: the verifier becomes stale, and says so."""
_HEAD_BYTES_MAX = 4096
_HEAD_SECONDS_MIN = 0.5
_HEAD_SECONDS_MAX = 10.0
_DOCUMENT_SECONDS_MAX = 30.0
# The deadline of a request for changes, without the time that the service waits.
_CHANGES_SECONDS_MAX = 10.0
_SEGMENTS_AT_ONCE = 4
_CONFLICT = 409


class StartOver(Exception):
    """The epoch or the position is not the feed's any more: everything is forgotten, and read again."""


def parse_head(text: bytes) -> Head:
    """The head in a response or a heartbeat. Raises Unreadable for anything else."""
    return read_head(parse_object(text))


@dataclass(frozen=True, slots=True)
class FeedAccess:
    """Where the feed is, and who follows it."""

    issuer: str
    api_key: str
    name: str | None
    """Under which positions are reported; None reports nothing."""
    staleness_ms_max: int

    @property
    def head_seconds_max(self) -> float:
        """The deadline of a request for the head: an answer that comes later confirms nothing that is of use."""
        return min(_HEAD_SECONDS_MAX, max(_HEAD_SECONDS_MIN, self.staleness_ms_max / 1000))

    @property
    def url(self) -> str:
        """The address of the head."""
        return f"{self.issuer}/oauth/revocation-feed"

    @property
    def headers(self) -> dict[str, str]:
        """What each request is authenticated by."""
        return {"x-api-key": self.api_key}


class FeedRequests:
    """Requests are made on workers, and bounded there. Raises RequestFailure, StartOver or Unreadable."""

    def __init__(self, access: FeedAccess, client: HttpClient, key_set: KeySet) -> None:
        self._access, self._client, self._key_set = access, client, key_set
        self._reader = SignedReader("revocations+jwt", DOCUMENT_CHARACTERS_MAX)

    def ask_head(self) -> "Asking[Head]":
        """Asks for the present state."""
        return self._ask("", _HEAD_BYTES_MAX, self._access.head_seconds_max, parse_head)

    def snapshot(self, epoch: str) -> Snapshot:
        """Asks which segments there are."""
        return self._ask_document(f"/snapshot?{urlencode({'epoch': epoch})}", read_snapshot).wait()

    def segments(self, epoch: str, ranges: Sequence[tuple[int, int]]) -> Iterator[Changes]:
        """Asks for the facts in ranges of positions, for some at once."""
        for first in range(0, len(ranges), _SEGMENTS_AT_ONCE):
            some = ranges[first : first + _SEGMENTS_AT_ONCE]
            paths = [f"/segments/{quote(epoch, safe='')}/{start}-{end}" for start, end in some]
            askings = [self._ask_document(path, read_changes) for path in paths]
            try:
                for asking in askings:
                    yield asking.wait()
            finally:
                for asking in askings:
                    asking.job.end_wait()

    def ask_changes(self, place: Place, wait_seconds: int) -> "Asking[Changes]":
        """Asks for what came after a position; the service waits for it so long."""
        path = f"/changes?{_query(place)}&wait={wait_seconds}"
        return self._ask_document(path, read_changes, wait_seconds + _CHANGES_SECONDS_MAX)

    def stream(self, place: Place, seconds_max: float, receive: Callable[[bytes], None]) -> "Job[None]":
        """A job that reads the stream after a position until it ends. `receive` is called on its thread with the bytes as
        they come. It is late when it was not extended for so many seconds, and then interrupted."""
        return self._client.prepare_stream(
            self._request(f"/stream?{_query(place)}", 0, seconds_max, accept="text/event-stream"), receive
        )

    def end_late(self) -> None:
        """Interrupts requests whose time is over."""
        self._client.end_late()

    def read_document(self, text: str) -> Changes:
        """A document that a stream brought."""
        return read_changes(self._verify(text))

    def _request(self, path: str, bytes_max: int, seconds_max: float, **headers: str) -> Request:
        return Request(
            self._access.url + path, bytes_max, headers={**self._access.headers, **headers}, seconds_max=seconds_max
        )

    def _ask(self, path: str, bytes_max: int, seconds_max: float, read: Callable[[bytes], T]) -> "Asking[T]":
        request = self._request(path, bytes_max, seconds_max)
        job = self._client.prepare(request, read)
        job.start()
        return Asking(job, request)

    def _ask_document(
        self, path: str, read: Callable[[JsonObject], T], seconds_max: float = _DOCUMENT_SECONDS_MAX
    ) -> "Asking[T]":
        return self._ask(
            path, DOCUMENT_CHARACTERS_MAX, seconds_max, lambda text: read(self._verify(text.decode(errors="replace")))
        )

    def _verify(self, text: str) -> JsonObject:
        """The payload of a document. Raises RequestFailure where no key of the issuer signed it as one."""
        read = self._reader.read(text)
        refused = read if isinstance(read, Refusal) else finish(signature_refusal(self._key_set, read))
        if isinstance(read, Refusal) or refused is not None:
            raise RequestFailure(f"A document of the feed is refused: {refused.reason if refused else ''}")
        if read.payload.get("iss") != self._access.issuer:
            raise RequestFailure("A document of the feed is refused: its iss is another.")
        return read.payload


@dataclass(frozen=True, slots=True)
class Asking(Generic[T]):
    """A request under way."""

    job: Job[T]
    request: Request

    def wait(self) -> T:
        """Blocks this thread until the answer is there, or its time is over."""
        block(self.job.future, self.job.seconds_left())
        if not self.job.future.done():
            self.job.end_wait()
        return self.outcome()

    def outcome(self) -> T:
        """What is there by now."""
        try:
            return outcome_of(self.job, self.request)
        except RequestFailure as failure:
            raise as_start_over(failure) from failure


def as_start_over(failure: RequestFailure) -> Exception:
    """A 409 says that the follower starts over."""
    return StartOver("The service responded 409.") if failure.status == _CONFLICT else failure


def _query(place: Place) -> str:
    return urlencode({"epoch": place.epoch, "position": place.position})
