"""Clients in Python, unmodified, against the service that ISSUER names."""

import json
import os
import socket
import threading
import time
import unittest

import httpx2
import jwt
import uvicorn
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc6750 import InsufficientScopeError, InvalidTokenError
from mcp.shared.auth import OAuthToken

import agent
import mcp_agent
import mcp_person
import mcp_server
from authlib_validators import KeysValidator, MintmarkValidator
from verify_by_keys import make_check

ISSUER, CLIENT_ID, CLIENT_SECRET = (os.environ[name] for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET"))
ORDERS_CLIENT_ID, ORDERS_CLIENT_SECRET = os.environ["ORDERS_CLIENT_ID"], os.environ["ORDERS_CLIENT_SECRET"]
PERSON_CLIENT_ID, PERSON_CLIENT_SECRET = os.environ["PERSON_CLIENT_ID"], os.environ["PERSON_CLIENT_SECRET"]
PROVIDER, ID_TOKEN, LEAVER_ID_TOKEN = (os.environ[name] for name in ("PROVIDER", "ID_TOKEN", "LEAVER_ID_TOKEN"))
AT_PROVIDER = (f"{PROVIDER}/token", os.environ["PROVIDER_CLIENT_ID"], os.environ["PROVIDER_CLIENT_SECRET"])
API_KEY, API_KEY_ID, WRITER_API_KEY = (os.environ[name] for name in ("API_KEY", "API_KEY_ID", "WRITER_API_KEY"))
ORDERS, MAIL = "https://orders.example/v1", "https://mail.example"


def make_client(secret: str = CLIENT_SECRET):
    return agent.make_client(ISSUER, CLIENT_ID, secret)


def take(**asked: str) -> str:
    return agent.fetch_token(make_client(), **asked)["access_token"]


def forge(token: str) -> str:
    return token[: token.rindex(".") + 1] + "A" * 86


class AuthlibClient(unittest.TestCase):
    def test_token_with_scope_and_resource(self):
        for method in ("client_secret_basic", "client_secret_post"):
            client = make_client()
            client.token_endpoint_auth_method = method
            token = agent.fetch_token(client, scope="db:read db:write", resource=ORDERS)
            self.assertEqual((token["token_type"], token["scope"]), ("Bearer", "db:read db:write"))
            self.assertEqual(make_check(ISSUER, ORDERS)(token["access_token"])["client_id"], CLIENT_ID)

    def test_token_without_scope_and_resource_has_the_defaults(self):
        # The audience is the issuer, unless the service is configured otherwise.
        self.assertEqual(make_check(ISSUER, ISSUER)(take())["scope"], "db:read")

    def test_refusals_are_read(self):
        tries = {
            "invalid_client": (make_client("wrong"), {}),
            "invalid_scope": (make_client(), {"scope": "mail:send"}),
            "invalid_target": (make_client(), {"resource": "not-a-uri"}),
        }
        for code, (client, asked) in tries.items():
            with self.assertRaises(OAuthError) as refused:
                agent.fetch_token(client, **asked)
            self.assertEqual(refused.exception.error, code)

    def test_introspection_with_an_api_key_as_basic_and_revocation(self):
        metadata = agent.discover(ISSUER)
        asker = agent.make_client(ISSUER, API_KEY_ID, API_KEY)
        client = make_client()
        token = agent.fetch_token(client, resource=ORDERS)["access_token"]
        answer = asker.introspect_token(metadata["introspection_endpoint"], token=token).json()
        self.assertEqual((answer["active"], answer["aud"], answer["client_id"]), (True, ORDERS, CLIENT_ID))
        self.assertEqual(client.revoke_token(metadata["revocation_endpoint"], token=token).status_code, 200)
        answer = asker.introspect_token(metadata["introspection_endpoint"], token=token).json()
        self.assertEqual(answer, {"active": False})


class TokenExchange(unittest.TestCase):
    def test_a_received_token_is_exchanged_and_ends_with_the_first(self):
        client = make_client()
        received = agent.fetch_token(client, resource=ORDERS)["access_token"]
        orders = agent.make_client(ISSUER, ORDERS_CLIENT_ID, ORDERS_CLIENT_SECRET)
        token = agent.exchange_token(orders, received, resource=MAIL)
        self.assertEqual((token["issued_token_type"], token["scope"]), (agent.ACCESS_TOKEN, "db:read"))
        claims = make_check(ISSUER, MAIL)(token["access_token"])
        self.assertEqual((claims["sub"], claims["act"]["sub"]), (CLIENT_ID, ORDERS_CLIENT_ID))
        metadata = agent.discover(ISSUER)
        client.revoke_token(metadata["revocation_endpoint"], token=received)
        asker = agent.make_client(ISSUER, API_KEY_ID, API_KEY)
        answer = asker.introspect_token(metadata["introspection_endpoint"], token=token["access_token"]).json()
        self.assertEqual(answer, {"active": False})

    def test_who_may_not_exchange_hears_so(self):
        with self.assertRaises(OAuthError) as refused:
            agent.exchange_token(make_client(), take(resource=ORDERS), resource=MAIL)
        self.assertEqual(refused.exception.error, "unauthorized_client")


class ForAPerson(unittest.TestCase):
    def setUp(self):
        self.client = agent.make_client(ISSUER, PERSON_CLIENT_ID, PERSON_CLIENT_SECRET)

    def acts_for_alice(self, token: dict):
        claims = make_check(ISSUER, ORDERS)(token["access_token"])
        said = (claims["sub"], claims["client_id"], claims["act"], claims["scope"])
        self.assertEqual(said, ("people:alice", PERSON_CLIENT_ID, {"sub": PERSON_CLIENT_ID}, "db:read"))

    def test_an_id_token_is_exchanged(self):
        self.acts_for_alice(agent.exchange_token(self.client, ID_TOKEN, agent.ID_TOKEN, resource=ORDERS))

    def test_an_id_jag_gets_one_token(self):
        endpoint, client_id, secret = AT_PROVIDER
        provider = OAuth2Client(client_id, secret, "client_secret_post", token_endpoint=endpoint)
        id_jag = agent.fetch_id_jag(provider, ID_TOKEN, ISSUER, resource=ORDERS, scope="db:read mail.read")
        self.acts_for_alice(agent.present_id_jag(self.client, id_jag))
        with self.assertRaises(OAuthError) as refused:
            agent.present_id_jag(self.client, id_jag)
        self.assertEqual(refused.exception.error, "invalid_grant")


class Workload(unittest.TestCase):
    def test_assertions_get_tokens_without_client_authentication(self):
        key, subject = json.loads(os.environ["WORKLOAD_KEY"]), os.environ["WORKLOAD_SUBJECT"]
        client = agent.make_workload(ISSUER, PROVIDER, subject, key, claims={})
        tokens = [client.refresh_token()["access_token"] for _ in range(2)]
        self.assertNotEqual(*tokens)
        # Authlib keeps the jti of the first assertion for the next ones, where it has claims to keep it in.
        self.assertEqual(list(client.claims), ["jti"])
        for token in tokens:
            self.assertEqual(make_check(ISSUER, ISSUER)(token)["sub"], CLIENT_ID)


class PyJwt(unittest.TestCase):
    def test_takes_a_token_for_its_resource_and_no_other(self):
        token = take(resource=ORDERS)
        self.assertEqual(make_check(ISSUER, ORDERS)(token)["client_id"], CLIENT_ID)
        with self.assertRaises(jwt.InvalidAudienceError):
            make_check(ISSUER, MAIL)(token)

    def test_refuses_a_forged_token(self):
        with self.assertRaises(jwt.InvalidSignatureError):
            make_check(ISSUER, ORDERS)(forge(take(resource=ORDERS)))


class AuthlibValidators(unittest.TestCase):
    def refuses(self, validator, token: str, scopes: list[str], error: type[Exception]):
        with self.assertRaises(error):
            validator.validate_token(validator.authenticate_token(token), scopes, None)

    def test_take_a_token_for_their_resource_and_no_other(self):
        token = take(resource=ORDERS)
        for validator, other in (
            (KeysValidator(ISSUER, ORDERS), KeysValidator(ISSUER, MAIL)),
            (MintmarkValidator(ISSUER, ORDERS, API_KEY), MintmarkValidator(ISSUER, MAIL, API_KEY)),
        ):
            validator.validate_token(validator.authenticate_token(token), ["db:read"], None)
            self.refuses(validator, token, ["db:write"], InsufficientScopeError)
            self.refuses(validator, forge(token), ["db:read"], InvalidTokenError)
            self.refuses(other, token, ["db:read"], InvalidTokenError)

    def test_a_revoked_token_is_refused_by_introspection_and_taken_by_the_keys(self):
        client = make_client()
        token = agent.fetch_token(client, resource=ORDERS)["access_token"]
        client.revoke_token(f"{ISSUER}/oauth/revoke", token=token)
        self.refuses(MintmarkValidator(ISSUER, ORDERS, API_KEY), token, [], InvalidTokenError)
        keys = KeysValidator(ISSUER, ORDERS)
        keys.validate_token(keys.authenticate_token(token), [], None)


class McpServer(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        listening = socket.create_server(("127.0.0.1", 0))
        self.resource = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        app = mcp_server.make_app(ISSUER, self.resource, API_KEY)
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self.thread = threading.Thread(target=self.server.run, args=([listening],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def tearDown(self):
        self.server.should_exit = True
        self.thread.join()

    def ask(self, token: str) -> int:
        return httpx2.post(self.resource, headers={"authorization": f"Bearer {token}"}, json={}).status_code


class Mcp(McpServer):
    async def whoami(self, secret: str, storage: mcp_agent.Memory) -> str:
        async with mcp_agent.connect(self.resource, ISSUER, CLIENT_ID, secret, storage) as session:
            return (await session.call_tool("whoami", {})).content[0].text

    async def test_client_credentials_end_to_end(self):
        storage = mcp_agent.Memory()
        self.assertEqual(await self.whoami(CLIENT_SECRET, storage), CLIENT_ID)
        self.assertEqual(storage.tokens.scope, "db:read")
        claims = make_check(ISSUER, self.resource)(storage.tokens.access_token)
        self.assertEqual(claims["aud"], self.resource)

    async def test_another_token_is_fetched_after_a_revocation(self):
        storage = mcp_agent.Memory()
        await self.whoami(CLIENT_SECRET, storage)
        revoked = storage.tokens.access_token
        make_client().revoke_token(f"{ISSUER}/oauth/revoke", token=revoked)
        self.assertEqual(await self.whoami(CLIENT_SECRET, storage), CLIENT_ID)
        self.assertNotEqual(storage.tokens.access_token, revoked)

    async def test_a_wrong_secret_is_refused(self):
        with self.assertRaises(BaseExceptionGroup) as refused:
            await self.whoami("wrong", mcp_agent.Memory())
        self.assertIn("invalid_client", repr(refused.exception))

    async def test_the_server_refuses_a_token_for_another_resource_and_one_of_too_little_scope(self):
        for asked, status in (({}, 401), ({"resource": self.resource, "scope": "db:write"}, 403)):
            token = OAuthToken(access_token=take(**asked)).access_token
            self.assertEqual(self.ask(token), status)


class McpForAPerson(McpServer):
    async def whoami(self, id_token: str, storage: mcp_agent.Memory) -> str:
        fetch = mcp_person.id_jags(*AT_PROVIDER, id_token)
        async with mcp_person.connect(
            self.resource, ISSUER, PERSON_CLIENT_ID, PERSON_CLIENT_SECRET, fetch, storage
        ) as session:
            return (await session.call_tool("whoami", {})).content[0].text

    async def test_id_jags_end_to_end(self):
        storage = mcp_agent.Memory()
        self.assertEqual(await self.whoami(ID_TOKEN, storage), "people:alice")
        claims = make_check(ISSUER, self.resource)(storage.tokens.access_token)
        self.assertEqual((claims["client_id"], claims["act"]), (PERSON_CLIENT_ID, {"sub": PERSON_CLIENT_ID}))

    async def test_the_server_refuses_who_acts_for_a_person_who_left(self):
        storage, other = mcp_agent.Memory(), mcp_agent.Memory()
        self.assertEqual(await self.whoami(LEAVER_ID_TOKEN, storage), "people:bob")
        await self.whoami(ID_TOKEN, other)
        httpx2.post(
            f"{ISSUER}/api/v1/issuers/people/subjects/block",
            headers={"X-API-Key": os.environ["LEAVERS_API_KEY"]},
            json={"sub": "bob"},
        ).raise_for_status()
        self.assertEqual(self.ask(storage.tokens.access_token), 401)
        with self.assertRaises(BaseExceptionGroup) as refused:
            await self.whoami(LEAVER_ID_TOKEN, storage)
        self.assertIn("invalid_grant", repr(refused.exception))
        self.assertNotEqual(self.ask(other.tokens.access_token), 401)
