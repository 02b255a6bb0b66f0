"""The follower of the revocation feed, against the conformance table and a publisher that fails on order."""

import http.server
import json
import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import jwt

from feed_table import run
from follow_feed import Ended, Follower, Stale

PUBLISHER = os.environ["PUBLISHER"]
TABLE = Path(__file__).parent / "../../../testkit/feed/conformance.json"
FAULTS = ("hang", "unavailable", "cut", "garbage", "wrong_type", "wrong_issuer", "wrong_key", "gap")
LIVE = "live"
# One for all orders: to make a client takes longer than a hundred of them.
CLIENT = httpx2.Client(timeout=60)


def tearDownModule():
    CLIENT.close()


def control(issuer: str, what: str, **order: object) -> dict:
    return CLIENT.post(f"{issuer}/control", json={"do": what, **order}).raise_for_status().json()


class World:
    """A publisher of its own, and a follower of it."""

    def __init__(self, staleness: float = 10) -> None:
        self.issuer, self.staleness, self.follower = control(PUBLISHER, "spawn")["issuer"], staleness, None

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.follower.stop()

    def start(self) -> "World":
        reported = []
        self.follower = Follower(self.issuer, "https://orders.example/v1", "key", self.staleness, reported.append)
        return self

    def order(self, what: str, **order: object) -> dict:
        return control(self.issuer, what, **order)

    def issue(self, **claims: object) -> dict:
        return self.order("issue", claims=claims)

    def end(self, issued: dict) -> None:
        self.order("end", token=issued["token"], jti=issued["claims"]["jti"], exp=issued["claims"]["exp"])

    def say(self, issued: dict) -> object:
        try:
            self.follower.verify(issued["token"])
        except (Stale, jwt.InvalidTokenError) as error:
            return type(error)
        return LIVE

    def until(self, issued: dict, expected: object, present: object) -> None:
        """Fails at what is neither expected nor present."""
        give_up = time.monotonic() + 20
        while (said := self.say(issued)) != expected:
            assert said == present, f"{said}, and not {expected}"
            assert time.monotonic() < give_up, f"never {expected}"
            time.sleep(0.001)


class FeedTable(unittest.TestCase):
    def test_the_follower_agrees_with_the_conformance_table(self):
        table = json.loads(TABLE.read_text(encoding="utf-8"))
        steps = [step for case in table["cases"] for step in case["steps"]]
        self.assertGreater(len(steps), 100)
        for said, step in zip(run(table), steps, strict=True):
            if step["step"] == "token":
                self.assertIn(said["verdict"], (step["verdict"], step.get("or")), said)
            else:
                self.assertEqual(said["position"], step["position"], said)


class FollowFeed(unittest.TestCase):
    def test_a_revoked_token_is_refused_and_others_are_not(self):
        with World().start() as world:
            one, other = world.issue(), world.issue()
            world.until(one, LIVE, Stale)
            world.end(one)
            world.until(one, Ended, LIVE)
            self.assertEqual(world.say(other), LIVE)

    def test_a_snapshot_holds_what_ended_before(self):
        with World() as world:
            ended = [world.issue() for _ in range(5)]  # two segments, and one position beyond them
            for one in ended:
                world.end(one)
            world.start()
            for one in ended:
                world.until(one, Ended, Stale)
            self.assertEqual(world.say(world.issue()), LIVE)

    def test_a_clock_that_is_ahead_expires_no_token(self):
        with World() as world:
            world.order("pass", ms=-600_000)  # the service is ten minutes behind this machine
            world.start()
            one = world.issue()
            world.until(one, LIVE, Stale)
            over = world.issue(exp=one["claims"]["iat"])
            self.assertEqual(world.say(over), jwt.ExpiredSignatureError)

    def test_it_starts_over(self):
        with World().start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            world.order("epoch_changed")
            world.until(one, Stale, LIVE)
            world.until(one, LIVE, Stale)
            world.end(one)
            world.until(one, Ended, LIVE)

    def survive(self, fault: str) -> None:
        with World(staleness=3).start() as world:
            one, other = world.issue(), world.issue()
            world.until(one, LIVE, Stale)
            world.order("fault", kind=fault)
            world.end(one)
            world.until(one, Stale, LIVE)
            self.assertEqual(world.say(other), Stale)
            world.order("fault", kind="none")
            world.until(one, Ended, Stale)
            world.until(other, LIVE, Stale)

    def test_faults_of_the_feed_make_tokens_stale_and_are_survived(self):
        with ThreadPoolExecutor(len(FAULTS)) as pool:
            for fault, done in [(fault, pool.submit(self.survive, fault)) for fault in FAULTS]:
                with self.subTest(fault):
                    done.result()

    def test_documents_that_end_before_the_head_confirm_nothing(self):
        with World(staleness=3).start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            world.order("fault", kind="hang")
            world.order("limit", positions=1)
            for _ in range(200):
                world.end(world.issue())
            world.end(one)
            world.until(one, Stale, LIVE)
            world.order("fault", kind="none")
            world.until(one, Ended, Stale)

    def test_a_head_that_is_wrong_confirms_nothing_and_is_survived(self):
        for fault in ("head_behind", "head_ahead"):
            with self.subTest(fault), World(staleness=3).start() as world:
                one, other = world.issue(), world.issue()
                world.until(one, LIVE, Stale)
                world.end(one)
                world.until(one, Ended, LIVE)
                world.order("fault", kind=fault)
                world.until(other, Stale, LIVE)
                world.order("fault", kind="none")
                world.until(other, LIVE, Stale)

    def test_an_unknown_cut_off_is_introspected(self):
        with World().start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            later = world.issue(seq=11)
            for issued in (one, later):
                world.order("forget", token=issued["token"])
            world.order("cut_off", cut_off={"seq": 11, "until": one["claims"]["exp"], "planet": "mars"})
            world.until(one, Ended, LIVE)
            self.assertEqual((world.say(later), world.say(world.issue())), (LIVE, LIVE))

    def test_a_token_of_a_key_that_was_cut_off_is_refused_whatever_its_seq(self):
        with World().start() as world:
            forged = world.issue(seq=1_000_000)
            world.until(forged, LIVE, Stale)
            world.order("drop_key")
            world.order("cut_off", cut_off={"seq": 20, "until": forged["claims"]["exp"], "key": "AAAAAAAAAAA"})
            world.until(forged, jwt.InvalidTokenError, LIVE)

    def test_a_token_that_is_expired_by_the_time_of_the_service_is_refused(self):
        with World().start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            world.order("pass", ms=301_000)
            world.until(one, Ended, LIVE)

    def test_other_jwts_and_tokens_for_others_are_refused(self):
        with World().start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            for bad in (
                world.issue(aud="https://mail.example"),
                world.issue(exp=1_795_000_000),
                world.order("issue", typ="revocations+jwt"),
                {"token": ""},
                {"token": "a.b.c"},
                {"token": one["token"] + "="},
                {"token": "\ud800"},
            ):
                self.assertNotIn(world.say(bad), (LIVE, Stale))

    def test_many_callers_see_one_end(self):
        with World().start() as world:
            one = world.issue()
            world.until(one, LIVE, Stale)
            with ThreadPoolExecutor(8) as pool:
                done = [pool.submit(world.until, one, Ended, LIVE) for _ in range(8)]
                world.end(one)
                for each in done:
                    each.result()
            self.assertEqual(world.say(one), Ended)

    def test_a_response_that_trickles_is_given_up(self):
        class Trickle(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: object):
                pass

            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                try:
                    while True:
                        self.wfile.write(b"e")
                        time.sleep(0.05)
                except OSError:
                    pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Trickle)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with World().start() as world:
            world.follower.stop()
            world.follower.feed = f"http://127.0.0.1:{server.server_port}"
            with self.assertRaises(ValueError):
                world.follower.get("/changes", 0.5)
        server.shutdown()
