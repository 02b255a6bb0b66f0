"""What a verifier says of itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .journal import Problem
from .options import Mode

if TYPE_CHECKING:
    from ..feed.facts import Sizes
    from ..feed.held_feed import Transport


@dataclass(frozen=True, slots=True)
class Resource:
    """The protected resource that tokens are for, and where its metadata stands (RFC 9728 §2)."""

    audience: str
    issuer: str
    metadata_url: str | None
    """None where the audience is no URL."""


@dataclass(frozen=True, slots=True)
class Status:
    name: str | None
    mode: Mode
    epoch: str | None
    """That of the feed; None until a snapshot was applied."""
    position: int | None
    staleness: float | None
    """Seconds since the latest request was sent whose response confirmed the position; None before the first."""
    is_fresh: bool
    """Whether the feed alone decides now."""
    transport: "Transport"
    facts: "Sizes | None"
    """How many facts of the feed are held."""
    keys_age: float | None
    """The time since the key set was read, in seconds; None before the first reading."""
    cached_tokens: int
    failures: int
    """The number of problems so far."""
    last_failure: Problem | None
