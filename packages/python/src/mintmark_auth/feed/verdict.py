"""What the feed says of a token. Apart from the rest of it, which is loaded by the first verifier that follows."""

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .subject import Subject


class Verdict(IntEnum):
    """What facts say of a token. Of two the greater counts: what has ended has ended, whatever else is not known."""

    CLEAR = 0
    UNKNOWN = 1
    """Only the service can say."""
    ENDED = 2


@dataclass(slots=True)
class Judged:
    """What is remembered of a token, so that it is judged anew only where the facts are others."""

    kid: str
    """That of its header."""
    subjects: "tuple[Subject, ...] | None" = None
    """What cut-offs are compared with; None until one may cover the token."""
    clear: object = None
    """The version of the facts by which it was clear."""
