"""Reports to the service how far a verifier is, so that operators see who holds a revocation (docs/apis/feed-protocol.md,
"Reporting"). Nothing of what the verifier accepts depends on it."""

import json
import threading
from typing import Final

from ..tokens.claims import Claims
from ..wire.http import HttpClient, Request, describe_fault
from ..wire.threads import finish
from .backoff import retry_after_of, spread
from .document import Place
from .held_feed import HeldFeed
from .requests import FeedAccess

# A verifier that has nothing new to say is heard of so often.
_REPORT_SECONDS_MAX = 10.0
# A report waits so long, spread by chance: what all followers apply at one moment they would else all report at one moment,
# while the service still writes the change to others. What comes meanwhile goes with it.
_REPORT_AFTER_SECONDS = (0.01, 0.03)
_SECONDS_MAX = 5.0
_ANSWER_BYTES_MAX = 4096
REPORTED_AGENTS_MAX: Final = 100
"""Agents whose uses are reported; those that come later are not counted."""


class Reports:
    """One request at a time, each with the position of the verifier at that moment; what fails is repeated with the next."""

    def __init__(self, feed: HeldFeed, access: FeedAccess, client: HttpClient) -> None:
        self._feed, self._client, self._name = feed, client, access.name
        self._url = f"{access.url}/positions"
        self._headers = {**access.headers, "content-type": "application/json"}
        self._counts: dict[str, int] = {}
        self._reported: Place | None = None
        self._wake = threading.Event()

    def note(self) -> None:
        """The verifier's place may have changed."""
        if self._feed.place() != self._reported:
            self._wake.set()

    def count(self, claims: Claims) -> None:
        """A token was accepted. Of two threads at one moment one may be counted: it takes no lock."""
        agent_id: str = claims["act"]["sub"] if "act" in claims else claims["sub"]
        count = self._counts.get(agent_id)
        if count is not None or len(self._counts) < REPORTED_AGENTS_MAX:
            self._counts[agent_id] = (count or 0) + 1

    def end(self) -> None:
        """Wakes what waits, after the feed was closed."""
        self._wake.set()

    def run(self) -> None:
        """Reports until the feed is closed."""
        closed = self._feed.closed
        while not closed.is_set():
            self._wake.clear()
            if self._report_once():
                self._wake.wait(_REPORT_SECONDS_MAX)
            closed.wait(spread(*_REPORT_AFTER_SECONDS))

    def _report_once(self) -> bool:
        """Whether to wait until the next report is due: a position that was applied meanwhile is reported at once, unless
        the service does not take reports. A verifier that starts over has no position to report."""
        place = self._feed.place()
        if place is None:
            return True
        try:
            self._report(place)
            self._reported = place
            return self._feed.place() == place
        except Exception as fault:
            self._feed.events.report(f"The position could not be reported: {describe_fault(fault)}")
            retry_after = retry_after_of(fault)
            self._feed.closed.wait(retry_after)
            return retry_after == 0 or self._feed.place() == place

    def _report(self, place: Place) -> None:
        counts = list(self._counts.items())[:REPORTED_AGENTS_MAX]
        uses = [{"agent_id": agent_id, "count": count} for agent_id, count in counts]
        body = json.dumps({"name": self._name, "epoch": place.epoch, "position": place.position, "uses": uses}).encode()
        request = Request(
            self._url, _ANSWER_BYTES_MAX, "POST", self._headers, body=body, seconds_max=_SECONDS_MAX, success=204
        )
        finish(self._client.send(request))
