"""What a refusal is as a response (RFC 6750 §3)."""

import json
from typing import NamedTuple

from ..verify.refusals import Refused


class Answer(NamedTuple):
    status: int
    headers: tuple[tuple[str, str], ...]
    """Names in small letters. Without the length of the body."""
    body: bytes


def write_json(value: object) -> bytes:
    """Raises TypeError or ValueError for what JSON cannot hold."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def answer_of(refused: Refused) -> Answer:
    headers = [("content-type", "application/json"), ("cache-control", "no-store")]
    if refused.challenge is not None:
        # A client in a browser must read which scope to ask for.
        headers += [("www-authenticate", refused.challenge), ("access-control-expose-headers", "WWW-Authenticate")]
    if refused.retry_after is not None:
        headers.append(("retry-after", str(refused.retry_after)))
    return Answer(refused.status, tuple(headers), write_json(dict(refused.body)))
