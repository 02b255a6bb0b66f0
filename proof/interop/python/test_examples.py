"""The examples in Python, as processes that were started by the commands of their `npm start`."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

import httpx2

import agent
import mcp_agent
from test_interop import API_KEY, CLIENT_ID, CLIENT_SECRET, ISSUER, make_client

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"


def command(name: str) -> list[str]:
    start = json.loads((EXAMPLES / name / "package.json").read_text())["scripts"]["start"]
    return [sys.executable, *start[start.index("python3") :].split()[1:]]


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


class Example(unittest.TestCase):
    """An example that serves an API, under the address that is its audience."""

    def start(self, name: str, usual_port: str, path: str = "") -> None:
        port = free_port()
        self.api = f"http://127.0.0.1:{port}{path}"
        own = {"BASE_URL": ISSUER, "ADMIN_API_KEY": API_KEY, "CLIENT_ID": CLIENT_ID, "CLIENT_SECRET": CLIENT_SECRET}
        self.env = {**os.environ, **own, "AUDIENCE": self.api, "API_URL": self.api, "PYTHONPATH": str(HERE)}
        args = [str(port) if arg == usual_port else arg for arg in command(name)]
        where = {"cwd": EXAMPLES / name, "env": self.env}
        self.running = subprocess.Popen(args, **where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.running.wait)
        self.addCleanup(self.running.kill)

    def until(self, status: int, token: str, path: str = "/orders") -> httpx2.Response:
        give_up = time.monotonic() + 20
        while True:
            try:
                response = httpx2.get(f"{self.api}{path}", headers={"Authorization": f"Bearer {token}"})
                if response.status_code == status:
                    return response
            except httpx2.TransportError:
                response = None
            self.assertLess(time.monotonic(), give_up, response and response.text)
            time.sleep(0.01)


class Api(Example):
    def setUp(self) -> None:
        self.start("fastapi", "3005")

    def test_the_api_takes_a_token_asks_for_a_scope_and_refuses_what_was_revoked(self) -> None:
        client = make_client()
        token = agent.fetch_token(client, resource=self.api, scope="db:read")["access_token"]
        self.assertEqual(self.until(200, token).json(), {"orders": ["tea"], "caller": CLIENT_ID})
        challenge = httpx2.get(f"{self.api}/orders").headers["www-authenticate"]
        self.assertTrue(challenge.startswith('Bearer scope="db:read", resource_metadata="'), challenge)
        added = httpx2.post(f"{self.api}/orders", headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(added.status_code, 403)
        self.assertIn('error="insufficient_scope"', added.headers["www-authenticate"])
        self.assertIn('scope="db:write"', added.headers["www-authenticate"])
        line = ("Authorization", f"Bearer {token}")
        twice = httpx2.get(f"{self.api}/orders", headers=[line, line])
        self.assertEqual(twice.status_code, 400)
        self.assertIn('error="invalid_request"', twice.headers["www-authenticate"])
        client.revoke_token(f"{ISSUER}/oauth/revoke", token=token)
        self.assertIn('error="invalid_token"', self.until(401, token).headers["www-authenticate"])
        other = agent.fetch_token(client, resource="https://other.example", scope="db:read")["access_token"]
        self.until(401, other)
        self.running.send_signal(signal.SIGTERM)
        self.assertIn(self.running.wait(10), (0, -signal.SIGTERM))

    def test_the_agent_calls_the_api(self) -> None:
        self.until(200, agent.fetch_token(make_client(), resource=self.api, scope="db:read")["access_token"])
        where = {"cwd": EXAMPLES / "agent-python", "env": self.env}
        ended = subprocess.run(command("agent-python"), **where, capture_output=True, text=True, check=True)
        self.assertEqual(ended.stdout, f'200 {{"orders":["tea"],"caller":"{CLIENT_ID}"}}\n')

    def test_the_agent_ends_with_one_line_where_it_is_refused(self) -> None:
        where = {"cwd": EXAMPLES / "agent-python", "env": {**self.env, "CLIENT_SECRET": "wrong"}}
        ended = subprocess.run(command("agent-python"), **where, capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (1, "", 1))
        self.assertTrue(ended.stderr.startswith("The token was refused: invalid_client ("), ended.stderr)
        advice = f" Check the agent and its secret: npx mintmark agent show {CLIENT_ID}\n"
        self.assertTrue(ended.stderr.endswith(advice), ended.stderr)


class Mcp(Example, unittest.IsolatedAsyncioTestCase):
    async def test_the_tool_knows_its_caller_and_a_token_that_was_revoked_is_refused(self) -> None:
        self.start("mcp-python", "3006", "/mcp")
        self.until(401, "none", "")
        storage = mcp_agent.Memory()
        async with mcp_agent.connect(self.api, ISSUER, CLIENT_ID, CLIENT_SECRET, storage) as session:
            called = await session.call_tool("list_orders", {})
            self.assertEqual(called.content[0].text, f"tea; asked by {CLIENT_ID}")
        token = storage.tokens.access_token
        make_client().revoke_token(f"{ISSUER}/oauth/revoke", token=token)
        self.assertIn('error="invalid_token"', self.until(401, token, "").headers["www-authenticate"])
        other = agent.fetch_token(make_client(), resource=self.api, scope="db:write")["access_token"]
        self.assertIn('scope="db:read"', self.until(403, other, "").headers["www-authenticate"])


if __name__ == "__main__":
    unittest.main()
