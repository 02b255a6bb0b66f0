"""Refuses revoked tokens without a request for each: follows Mintmark's revocation feed (docs/apis/feed-protocol.md)."""

import json
import random
import threading
import time
from collections.abc import Callable

import httpx2
import jwt

from revocation_facts import ASK, ENDED, Facts, is_count, require

DOCUMENT_BYTES_MAX = 64 * 2**20
WAIT_SECONDS_MAX = 25
SNAPSHOT_WITHIN_SECONDS = 60
# Times are judged by the clock of the service: that of this machine may be set ahead, and every live token would be expired.
TIMELESS = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
# Unlike time.monotonic() it counts the time in which the machine is suspended.
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Ended(jwt.InvalidTokenError):
    """The token was revoked: respond 401, as to any jwt.InvalidTokenError."""


class Stale(Exception):
    """Nobody knows whether the token was revoked: respond 503."""


class StartOver(Exception):
    """What is held means nothing any more."""


def clock() -> float:
    return time.clock_gettime(CLOCK)


class Follower:
    """Verifies tokens for one resource. Faults of the feed are reported, and let staleness grow."""

    def __init__(self, issuer: str, resource: str, api_key: str, staleness: float, report: Callable) -> None:
        self.issuer, self.resource, self.staleness, self.report = issuer, resource, staleness, report
        self.client = httpx2.Client(headers={"X-API-Key": api_key})
        metadata = httpx2.get(f"{issuer}/.well-known/oauth-authorization-server").raise_for_status().json()
        self.feed, self.jwks = metadata["revocation_feed_endpoint"], metadata["jwks_uri"]
        self.introspection = metadata["introspection_endpoint"]
        self.keys, self.lock, self.stopped = jwt.PyJWKClient(self.jwks), threading.Lock(), threading.Event()
        self.facts, self.confirmed, self.known = None, float("-inf"), (0, 0.0)
        threading.Thread(target=self.follow, daemon=True).start()

    def stop(self) -> None:
        self.stopped.set()

    def verify(self, token: str) -> dict:
        """Gives the claims of a token that is valid and not revoked; raises jwt.InvalidTokenError or Stale."""
        self.require_fresh()
        if not token.isascii():
            raise jwt.InvalidTokenError("A JWT is ASCII.")
        try:
            options = TIMELESS | {"require": ["exp", "sub", "client_id"]}
            header, claims = self.open(token, "at+jwt", audience=self.resource, options=options)
        except jwt.InvalidTokenError:
            raise
        except (jwt.PyJWKClientConnectionError, ValueError) as error:
            raise Stale("The keys of the service cannot be read.") from error
        except jwt.PyJWTError as error:
            raise jwt.InvalidTokenError(str(error)) from error
        if not is_count(claims["exp"]) or claims["exp"] <= self.now():
            raise jwt.ExpiredSignatureError("The token has expired.")
        if not is_count(claims.get("nbf", 0)) or claims.get("nbf", 0) > self.now():
            raise jwt.ImmatureSignatureError("The token is not valid yet.")
        if "cnf" in claims:
            raise jwt.InvalidTokenError("The token is bound to a key, whose proof is not checked here.")
        with self.lock:
            self.require_fresh()
            verdict = self.facts.judge(header, claims) if self.facts else ASK
        if verdict == ENDED or (verdict == ASK and not self.introspect(token)):
            raise Ended("The token is not active.")
        return claims

    def require_fresh(self) -> None:
        if clock() - self.confirmed > self.staleness:
            raise Stale("The revocations are not known to be complete: try again.")

    def now(self) -> float:
        """The time of the service, in seconds since 1970."""
        now, at = self.known
        return now / 1000 + clock() - at

    def introspect(self, token: str) -> bool:
        try:
            return self.client.post(self.introspection, data={"token": token}).raise_for_status().json()["active"] is True
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            raise Stale from error

    def open(self, text: str, typ: str, **checks: object) -> tuple[dict, dict]:
        """Verifies signature, issuer and type of a JWT, and what the checks say."""
        key = self.keys.get_signing_key_from_jwt(text)
        decoded = jwt.decode_complete(text, key, algorithms=[key.algorithm_name], issuer=self.issuer, **checks)
        if decoded["header"].get("typ") != typ or key.algorithm_name not in ("ES256", "RS256"):
            raise jwt.InvalidTokenError(f"not of the type {typ}")
        return decoded["header"], decoded["payload"]

    def follow(self) -> None:
        while not self.stopped.is_set():
            try:
                self.poll()
            except Exception as error:  # whatever it is, following goes on
                if isinstance(error, StartOver):
                    self.facts, self.confirmed = None, float("-inf")
                self.report(error)
                self.pause(min(1, self.staleness / 4))
        self.client.close()

    def pause(self, seconds: float) -> None:
        """Spreads the requests of many followers that failed at one time."""
        self.stopped.wait(seconds * random.uniform(0.5, 1.5))

    def poll(self) -> None:
        """Confirms the position by a head that was asked for before it was reached, and waits for changes."""
        if self.facts is None:
            facts = Facts(self.read("/snapshot", SNAPSHOT_WITHIN_SECONDS))
            for start, to in facts.missing:
                facts.apply(self.read(f"/segments/{facts.epoch}/{start}-{to}", SNAPSHOT_WITHIN_SECONDS))
            self.keys, self.facts = jwt.PyJWKClient(self.jwks), facts
        sent, before = clock(), self.facts.position
        head = json.loads(self.get("", max(1, self.staleness / 2)))
        require(is_count(head["position"]) and is_count(head["now"]))
        # One that is behind, or of another epoch, confirms nothing: the response to the request for changes decides whether
        # to start over.
        if head["epoch"] == self.facts.epoch and head["position"] >= before:
            while self.facts.position < head["position"]:
                self.change(0)
                if clock() - sent > self.staleness:
                    return  # it would confirm nothing any more
            self.known, self.confirmed = (head["now"], sent), sent
        self.change(min(WAIT_SECONDS_MAX, int(0.4 * self.staleness)))

    def change(self, wait: int) -> None:
        """Applies the next changes."""
        sent, position = clock(), self.facts.position
        within = wait + max(1, self.staleness / 2)  # an answer that takes longer confirms next to nothing
        document = self.read(f"/changes?epoch={self.facts.epoch}&position={position}&wait={wait}", within)
        with self.lock:
            self.facts.apply(document)
            if any("key" in cut_off for cut_off in document["cut_offs"]):
                self.keys = jwt.PyJWKClient(self.jwks)
        if self.facts.position == position:  # lest a server that does not wait is asked without end
            self.pause(max(0, self.staleness / 10 - clock() + sent))

    def read(self, path: str, within: float) -> dict:
        """Gets a document of the feed, and gives its payload."""
        unchecked = TIMELESS | {"verify_aud": False}
        return self.open(self.get(path, within).decode(), "revocations+jwt", options=unchecked)[1]

    def get(self, path: str, within: float) -> bytes:
        sent, body = clock(), bytearray()
        with self.client.stream("GET", self.feed + path, timeout=within) as response:
            if response.status_code == 409:
                raise StartOver
            if response.status_code != 200:
                after = response.headers.get("Retry-After", "")
                self.pause(min(WAIT_SECONDS_MAX, int(after)) if after.isdecimal() else 0)
            response.raise_for_status()
            for chunk in response.iter_raw():
                body += chunk
                # The time limit of the client is one for each chunk.
                require(len(body) <= DOCUMENT_BYTES_MAX and clock() - sent <= within)
        return bytes(body)
