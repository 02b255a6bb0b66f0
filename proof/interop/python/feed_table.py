"""Prints what the follower in Python says of the conformance table that a file holds, a line of JSON for each step."""

import json
import sys
from collections.abc import Iterator

from revocation_facts import ASK, Facts

VERDICTS = ("live", "ask", "ended")


def take(facts: Facts | None, step: dict) -> Facts | None:
    """What is held after a document, a head, or starting over."""
    payload = step.get("payload")
    if step["step"] == "epoch_changed":
        return None
    if step["step"] == "snapshot":
        return Facts(payload)
    if facts and step["step"] == "head":
        if payload["epoch"] == facts.epoch:
            facts.pass_time(payload["now"])
    elif facts:
        facts.apply(payload)
    return facts


def run(table: dict) -> Iterator[dict]:
    for case in table["cases"]:
        facts = None
        for n, step in enumerate(case["steps"]):
            line = {"case": case["name"], "step": n}
            if step["step"] == "token":
                line["verdict"] = VERDICTS[facts.judge(step["header"], step["claims"]) if facts else ASK]
            else:
                try:
                    facts = take(facts, step)
                except ValueError:
                    facts = None if step["step"] == "snapshot" else facts
            yield line | {"position": facts.position if facts and not facts.missing else None}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        for said in run(json.load(file)):
            print(json.dumps(said, ensure_ascii=False))
