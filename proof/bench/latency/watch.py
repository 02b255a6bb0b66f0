"""Looks at one token after another every millisecond: says `accepted` at first, and then when it was refused (see latency.ts)."""

import json
import os
import sys
import time

from mintmark_auth import Refused, Verifier


def now() -> float:
    return time.monotonic_ns() / 1e6


def is_good(verifier: Verifier, token: str) -> bool:
    try:
        verifier.verify(token)
    except Refused as refused:
        if refused.status != 401:
            raise
        return False
    return True


def watch(verifier: Verifier, token: str) -> None:
    accepted_at = None
    while True:
        began = now()
        if not is_good(verifier, token):
            break
        if accepted_at is None:
            print("accepted", flush=True)
        accepted_at = began
        time.sleep(0.001)
    print(json.dumps({"acceptedAt": accepted_at, "refusedAt": now()}), flush=True)


issuer = os.environ["ISSUER"]
verifier = Verifier(issuer, issuer, api_key=os.environ["API_KEY"], name="latency")
verifier.ready(30)
for line in sys.stdin:
    watch(verifier, line.strip())
