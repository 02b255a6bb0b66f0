"""The follower of the revocation feed, against the service that ISSUER names."""

import os
import time
import unittest
from unittest import mock

import httpx2
import jwt

import agent
from follow_feed import Ended, Follower, Stale
from test_interop import (
    API_KEY,
    ID_TOKEN,
    ISSUER,
    MAIL,
    ORDERS,
    ORDERS_CLIENT_ID,
    ORDERS_CLIENT_SECRET,
    PERSON_CLIENT_ID,
    PERSON_CLIENT_SECRET,
    WRITER_API_KEY,
    make_client,
)


def administer(path: str, api_key: str = WRITER_API_KEY, **body: object) -> dict:
    return httpx2.post(f"{ISSUER}{path}", headers={"X-API-Key": api_key}, json=body).raise_for_status().json()


class FollowService(unittest.TestCase):
    def setUp(self):
        # What the follower says, it knows from the feed.
        patched = mock.patch.object(Follower, "introspect", side_effect=AssertionError("introspects"))
        patched.start()
        self.addCleanup(patched.stop)
        self.reported = []

    def start(self, resource: str = ORDERS) -> Follower:
        follower = Follower(ISSUER, resource, API_KEY, 10, self.reported.append)
        self.addCleanup(follower.stop)
        return follower

    def until(self, follower: Follower, token: str, expected: object, present: object) -> None:
        give_up = time.monotonic() + 20
        while True:
            try:
                follower.verify(token)
                said = "live"
            except (Stale, jwt.InvalidTokenError) as error:
                said = type(error)
            if said == expected:
                return
            self.assertEqual(said, present, self.reported)
            self.assertLess(time.monotonic(), give_up, self.reported)
            time.sleep(0.001)

    def test_a_revoked_token_is_refused_and_no_other(self):
        follower, client = self.start(), make_client()
        one, other = (agent.fetch_token(client, resource=ORDERS)["access_token"] for _ in range(2))
        self.until(follower, one, "live", Stale)
        client.revoke_token(f"{ISSUER}/oauth/revoke", token=one)
        self.until(follower, one, Ended, "live")
        self.until(follower, other, "live", "live")
        late = self.start()  # which finds it in the snapshot, or in the changes after that
        self.until(late, one, Ended, Stale)
        self.until(late, other, "live", "live")

    def test_a_token_whose_parent_was_revoked_is_refused(self):
        follower, client = self.start(MAIL), make_client()
        received = agent.fetch_token(client, resource=ORDERS)["access_token"]
        orders = agent.make_client(ISSUER, ORDERS_CLIENT_ID, ORDERS_CLIENT_SECRET)
        token = agent.exchange_token(orders, received, resource=MAIL)["access_token"]
        self.until(follower, token, "live", Stale)
        client.revoke_token(f"{ISSUER}/oauth/revoke", token=received)
        self.until(follower, token, Ended, "live")

    def test_what_acted_for_a_person_is_refused_once_that_is_revoked_and_later_tokens_are_not(self):
        follower, client = self.start(), agent.make_client(ISSUER, PERSON_CLIENT_ID, PERSON_CLIENT_SECRET)
        one = agent.exchange_token(client, ID_TOKEN, agent.ID_TOKEN, resource=ORDERS)
        self.until(follower, one["access_token"], "live", Stale)
        administer("/api/v1/revocations", os.environ["LEAVERS_API_KEY"], subject="people:alice")
        self.until(follower, one["access_token"], Ended, "live")
        later = agent.exchange_token(client, ID_TOKEN, agent.ID_TOKEN, resource=ORDERS)
        self.until(follower, later["access_token"], "live", "live")

    def test_the_tokens_of_a_disabled_agent_are_refused_for_ever_and_later_ones_are_not(self):
        follower = self.start()
        made = administer("/api/v1/agents", name="followed", scope="db:read", default_scope="db:read", resources=["*"])
        client = agent.make_client(ISSUER, made["client_id"], made["client_secret"])
        tokens = [agent.fetch_token(client, resource=ORDERS)["access_token"] for _ in range(2)]
        self.until(follower, tokens[0], "live", Stale)
        administer(f"/api/v1/agents/{made['agent_id']}/disable")
        for token in tokens:
            self.until(follower, token, Ended, "live")
        administer(f"/api/v1/agents/{made['agent_id']}/enable")
        self.until(follower, agent.fetch_token(client, resource=ORDERS)["access_token"], "live", "live")
        self.until(follower, tokens[0], Ended, Ended)
