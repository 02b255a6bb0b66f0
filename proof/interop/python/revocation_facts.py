"""What a follower of Mintmark's revocation feed holds, and what that says of a token (docs/apis/feed-protocol.md)."""

import base64
import hashlib
import re
import uuid

DIGEST = re.compile(r"[A-Za-z0-9_-]{11}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What a fact says of a token, and a condition: the greatest of several facts counts, and the least of several conditions.
LIVE, ASK, ENDED = range(3)
# The claim that a condition is about.
CLAIMS = {name: name for name in ("agent", "subject", "issuer", "credential", "key", "root", "scope", "audience")}
CLAIMS_OF_ARRAYS = {"agents": "agent", "keep_scopes": "scope", "keep_audiences": "audience"}


def require(condition: object) -> None:
    if not condition:
        raise ValueError("The document is malformed, or does not continue what is held.")


def is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def digest(text: str) -> str:
    # Half of a surrogate pair is no UTF-8: it becomes U+FFFD, as elsewhere.
    data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return encode(hashlib.sha256(data).digest()[:8])


def matches(item: str, pattern: str) -> bool:
    """A digest has neither ":" nor "*", so it matches itself alone."""
    return item == pattern or pattern == "*" or (pattern.endswith(":*") and item.startswith(pattern[:-1]))


class Subject:
    """A token or an ancestor. What is not known is None, or missing among the items."""

    def __init__(self, of: dict, parent: "Subject | None") -> None:
        jti, self.parent = of.get("id"), parent
        self.id = uuid.UUID(jti).bytes if isinstance(jti, str) and UUID.fullmatch(jti) else None
        self.exp, self.seq = (of[name] if is_count(of.get(name)) else None for name in ("exp", "seq"))
        named = {"agent": of.get("agent_id"), "credential": of.get("credential_id"), "key": of.get("kid")}
        self.items = {claim: [digest(value)] for claim, value in named.items() if isinstance(value, str)}
        self.root = parent.root if parent else self.id
        if self.root:
            self.items["root"] = [encode(self.root[8:])]

    def holds(self, name: str, value: object) -> int:
        """Whether a condition holds: ENDED, LIVE, or ASK where a claim is missing. One of unknown form is refused."""
        if claim := CLAIMS.get(name) or CLAIMS_OF_ARRAYS.get(name):
            patterns, items = [value] if name in CLAIMS else value, self.items.get(claim)
            require(is_texts(patterns) and (claim == "scope" or all(map(DIGEST.fullmatch, patterns))))
            found = [any(matches(item, pattern) for pattern in patterns) for item in items or ()]
            holds = not all(found) if name.startswith("keep_") else any(found)
            return ASK if items is None else ENDED if holds else LIVE
        if name == "before":
            require(is_count(value))
            return ASK if self.id is None else ENDED if int.from_bytes(self.id[:6]) < value else LIVE
        require(name in ("from_another", "opened") and value is True)
        if name == "opened" or self.parent is None:
            return LIVE if name == "from_another" else ASK  # the feed does not know what ended before it was opened
        own, parents = self.items.get("agent"), self.parent.items.get("agent")
        return ASK if own is None or parents is None else ENDED if own != parents else LIVE

    def compare(self, cut_off: dict) -> int:
        if self.seq is not None and self.seq >= cut_off["seq"]:
            return LIVE
        try:
            conditions = [self.holds(*one) for one in cut_off.items() if one[0] not in ("seq", "until")]
            verdict = min([ASK if self.seq is None else ENDED, *conditions])
        except ValueError:
            verdict = ASK
        is_beyond = self.exp is not None and self.exp > cut_off["until"]
        return LIVE if verdict == ASK and is_beyond else verdict


def read_token(header: dict, claims: dict) -> tuple[Subject, int]:
    """A token after its ancestors, and whether these can be read."""
    parent, lineage = None, claims.get("lineage")
    is_lineage = isinstance(lineage, list) and lineage and all(isinstance(it, dict) for it in lineage)
    for ancestor in reversed(lineage if is_lineage else ()):
        parent = Subject(ancestor, parent)
    holder = claims.get("act") if "act" in claims else claims
    names = {"agent_id": holder.get("sub") if isinstance(holder, dict) else None, "kid": header.get("kid")}
    token = Subject(claims | {"id": claims.get("jti")} | names, parent)
    if isinstance(scope := claims.get("scope"), str):
        token.items["scope"] = scope.split(" ")
    audiences = [claims["aud"]] if isinstance(claims.get("aud"), str) else claims.get("aud")
    if is_texts(audiences):
        token.items["audience"] = [digest(audience) for audience in audiences]
    # The subject of ancestors is that of the token. An agent's id has no colon, and so no issuer.
    if isinstance(sub := claims.get("sub"), str):
        alias, colon, _ = sub.partition(":")
        subject = token
        while subject:
            subject.items |= {"subject": [digest(sub)], "issuer": [digest(alias)] if colon else []}
            subject = subject.parent
    return token, ASK if "lineage" in claims and not is_lineage else LIVE


class Facts:
    """What a follower holds of one epoch. It counts once no segment of the snapshot is missing."""

    def __init__(self, snapshot: dict) -> None:
        self.epoch, self.now, self.missing = (snapshot.get(name) for name in ("epoch", "now", "segments"))
        require(isinstance(self.epoch, str) and is_count(self.now) and isinstance(self.missing, list))
        require(all(isinstance(it, list) and len(it) == 2 and is_count(it[0]) and is_count(it[1]) for it in self.missing))
        # A chain from 0 to the position.
        ends = [0] + [it[1] for it in self.missing]
        require([it[0] for it in self.missing] + [snapshot.get("position")] == ends and ends == sorted(set(ends)))
        self.position, self.ended, self.cut_offs = 0, {}, []

    def apply(self, document: dict) -> None:
        """Adds the next segment, or changes once none is missing: a whole document, or nothing."""
        epoch, now, start, to, ended, cut_offs = map(document.get, ("epoch", "now", "from", "to", "ended", "cut_offs"))
        require(epoch == self.epoch and all(map(is_count, (now, start, to))))
        require([start, to] == self.missing[0] if self.missing else start <= self.position <= to)
        require(isinstance(ended, dict) and isinstance(cut_offs, list))
        require(all(isinstance(it, dict) and is_count(it.get("seq")) and is_count(it.get("until")) for it in cut_offs))
        require(is_texts(list(ended.values())) and all(re.fullmatch("[0-9]+", exp) for exp in ended))
        read = {exp: base64.urlsafe_b64decode(tails + "=" * (-len(tails) % 4)) for exp, tails in ended.items()}
        require(all(encode(tails) == ended[exp] and len(tails) % 8 == 0 for exp, tails in read.items()))
        for exp, tails in read.items():
            self.ended.setdefault(int(exp), set()).update(tails[n : n + 8] for n in range(0, len(tails), 8))
        self.cut_offs.extend(cut_offs)
        self.position, self.missing = to, self.missing[1:]
        self.pass_time(now)

    def pass_time(self, now: int) -> None:
        """Moves the time of the service on, and forgets what is over by it."""
        self.now = max(self.now, now)
        self.ended = {exp: tails for exp, tails in self.ended.items() if 1000 * exp >= self.now}
        self.cut_offs = [it for it in self.cut_offs if 1000 * it["until"] >= self.now]

    def judge(self, header: dict, claims: dict) -> int:
        """Compares a token, whose signature and claims were verified, with all facts."""
        if self.missing:
            return ASK
        if is_count(claims.get("exp")) and 1000 * claims["exp"] < self.now:
            return ENDED  # by the time of the service: its end may be forgotten
        subject, verdict = read_token(header, claims)
        while subject:
            if subject.id and subject.id[8:] in self.ended.get(subject.exp, ()):
                return ENDED
            known = ASK if subject.id is None or subject.exp is None else LIVE
            verdict = max([verdict, known, *map(subject.compare, self.cut_offs)])
            subject = subject.parent
        return verdict
