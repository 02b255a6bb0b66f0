"""A token, and each of its ancestors, as what the facts of the feed are compared with."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

_DIGEST_BYTES: Final = 8
_DIGESTS_CACHED_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Subject:
    """A token as cut-offs see it. None is unknown: scope and audience of an ancestor, and what claims do not state."""

    id: str
    root: int
    """The tail of the id of the first token of its lineage: its own where there is no other."""
    exp: int
    seq: int | None
    agent: str
    subject: str
    """The digest of `sub`; an ancestor has that of the token."""
    issuer: str
    """The digest of the alias that `sub` begins with; empty where `sub` is the id of an agent."""
    credential: str | None
    key: str
    scopes: Sequence[str] | None
    audiences: Sequence[str] | None
    is_from_another: bool


@lru_cache(_DIGESTS_CACHED_MAX)
def digest(text: str) -> str:
    """The digest as the feed writes it. Agents, credentials, keys and audiences come again and again."""
    return urlsafe_b64encode(sha256(text.encode()).digest()[:_DIGEST_BYTES]).rstrip(b"=").decode()


def tail_of(token_id: str) -> int:
    """The last 8 bytes of an id."""
    return int(token_id[19:23] + token_id[24:], 16)


def issued_ms_of(token_id: str) -> int:
    """When an id was made, in ms since 1970: its first 48 bits (RFC 9562 §5.7)."""
    return int(token_id[0:8] + token_id[9:13], 16)


def subjects_of(claims: Mapping[str, Any], kid: str) -> tuple[Subject, ...]:
    """The token first, then its ancestors, the parent first. `kid` is that of its header."""
    sub, act, aud = claims["sub"], claims.get("act"), claims["aud"]
    alias, colon, _ = sub.partition(":")
    own = {
        "id": claims["jti"],
        "exp": claims["exp"],
        "seq": claims.get("seq"),
        # An imported agent has a `client_id` of its own.
        "agent_id": sub if act is None else act["sub"],
        "credential_id": claims.get("credential_id"),
        "kid": kid,
    }
    line: list[Mapping[str, Any]] = [own, *claims.get("lineage", ())]
    root = tail_of(line[-1]["id"])
    scope = claims.get("scope")
    own_scopes = None if scope is None else tuple(scope.split(" ")) if scope else ()
    own_audiences = tuple(map(digest, [aud] if isinstance(aud, str) else aud))

    def subject_at(n: int) -> Subject:
        one = line[n]
        parent = line[n + 1] if n + 1 < len(line) else None
        credential = one["credential_id"]
        return Subject(
            id=one["id"],
            root=root,
            exp=one["exp"],
            seq=one["seq"],
            agent=digest(one["agent_id"]),
            subject=digest(sub),
            issuer=digest(alias) if colon else "",
            credential=None if credential is None else digest(credential),
            key=digest(one["kid"]),
            scopes=own_scopes if n == 0 else None,
            audiences=own_audiences if n == 0 else None,
            is_from_another=parent is not None and parent["agent_id"] != one["agent_id"],
        )

    return tuple(map(subject_at, range(len(line))))
