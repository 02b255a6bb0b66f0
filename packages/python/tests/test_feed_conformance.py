"""The table of the revocation feed for followers in every language: testkit/feed/conformance.json."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from mintmark_auth.feed.document import Unreadable, read_changes, read_head, read_snapshot
from mintmark_auth.feed.facts import Applied, Facts
from mintmark_auth.feed.subject import subjects_of
from mintmark_auth.feed.verdict import Verdict
from mintmark_auth.tokens.claims import read_claims
from mintmark_auth.verify.refusals import Refusal

TABLE = Path(__file__).parents[3] / "testkit/feed/conformance.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))["cases"]
VERDICTS = {Verdict.CLEAR: "live", Verdict.ENDED: "ended", Verdict.UNKNOWN: "ask"}


@dataclass(frozen=True)
class Held:
    """The facts as the loader holds them: they count only once nothing is missing."""

    facts: Facts
    missing: tuple[tuple[int, int], ...] = field(default=())


def take_snapshot(payload: Mapping[str, Any]) -> Held:
    snapshot = read_snapshot(payload)
    facts = Facts(snapshot.head.epoch)
    facts.pass_time(snapshot.head.now)
    return Held(facts, snapshot.segments)


def take_segment(held: Held, payload: Mapping[str, Any]) -> Held:
    changes = read_changes(payload)
    is_next = held.missing and held.missing[0] == (changes.start, changes.end)
    if is_next and held.facts.apply(changes) is Applied.APPLIED:
        return replace(held, missing=held.missing[1:])
    return held


def take(held: Held | None, step: Mapping[str, Any]) -> Held | None:
    kind, payload = step["step"], step.get("payload", {})
    if kind == "epoch_changed":
        return None
    try:
        if kind == "snapshot":
            return take_snapshot(payload)
        if held is None:
            return None
        if kind == "segment":
            return take_segment(held, payload)
        if kind == "head":
            head = read_head(payload)
            if head.epoch == held.facts.epoch:
                held.facts.pass_time(head.now)
        elif not held.missing:
            held.facts.apply(read_changes(payload))
    except Unreadable:
        return None if kind == "snapshot" else held
    return held


def verdict_of(held: Held | None, claims: Mapping[str, Any], kid: object) -> str:
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience or []
    # Some are of a form that the service gives none: they are refused before any fact is looked at.
    if not isinstance(kid, str) or isinstance(read_claims(dict(claims), str(claims.get("iss")), audiences), Refusal):
        return "refused"
    if held is None or held.missing:
        return "ask"
    return VERDICTS[held.facts.judge(subjects_of(claims, kid))]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_facts_say_of_each_token_what_the_table_says(case: Mapping[str, Any]) -> None:
    held: Held | None = None
    for number, step in enumerate(case["steps"], 1):
        if step["step"] == "token":
            said = verdict_of(held, step["claims"], step["header"].get("kid"))
            assert said in (step["verdict"], step.get("or"), "refused"), f"step {number}: {said}"
        else:
            held = take(held, step)
            position = None if held is None or held.missing else held.facts.position
            assert position == step["position"], f"the position after step {number}"


def test_most_tokens_of_the_table_are_compared_with_the_facts() -> None:
    steps = [step for case in CASES for step in case["steps"] if step["step"] == "token"]
    refused = [step for step in steps if verdict_of(None, step["claims"], step["header"].get("kid")) == "refused"]
    assert len(refused) <= 45
