"""The recipes in Python over HTTP, against the table of requests."""

import os
import socket
import subprocess
import threading
import time
import unittest
import wsgiref.simple_server
from types import SimpleNamespace

import jwt
import uvicorn
from authlib.oauth2 import OAuth2Error, ResourceProtector
from starlette.requests import Request
from starlette.responses import PlainTextResponse

import mcp_server
from authlib_validators import KeysValidator, MintmarkValidator
from bearer import token_of
from follow_feed import Follower, Stale
from verify_by_keys import make_check

ISSUER, API_KEY, NODE = (os.environ[name] for name in ("ISSUER", "API_KEY", "NODE"))
ORDERS = "https://orders.example/v1"


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def protect(validator):
    """A WSGI application that answers as Authlib's integrations for Flask and Django do."""
    protector = ResourceProtector()
    protector.register_token_validator(validator)

    def app(environ, start_response):
        line = environ.get("HTTP_AUTHORIZATION")
        try:
            protector.validate_request(["db:read"], SimpleNamespace(headers={"Authorization": line} if line else {}))
            start_response("200 OK", [])
        except OAuth2Error as error:
            start_response(f"{error.status_code} Refused", [("WWW-Authenticate", "Bearer")])
        return [b""]

    return app


def check_asgi(check):
    """An ASGI application that checks as docs/apis/verify-python.md says."""

    async def app(scope, receive, send):
        token = token_of(Request(scope).headers.getlist("authorization"))
        try:
            status = 200 if "db:read" in check(token)["scope"].split() else 403
        except jwt.InvalidTokenError:
            status = 401
        await PlainTextResponse("", status, {"WWW-Authenticate": "Bearer"})(scope, receive, send)

    return app


class Table(unittest.TestCase):
    def hold(self, address: str, resource: str, kind: str, checks: str) -> None:
        options = ["--address", address, "--resource", resource, "--kind", kind, "--checks", checks]
        ended = subprocess.run([NODE, "../requests/run.ts", *options], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def serve_wsgi(self, app) -> str:
        server = wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Quiet)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def serve_asgi(self, make_app) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(make_app(origin), log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(setattr, server, "should_exit", True)
        while not server.started:
            time.sleep(0.01)
        return origin

    def test_authlib_by_keys(self) -> None:
        self.hold(self.serve_wsgi(protect(KeysValidator(ISSUER, ORDERS))), ORDERS, "api", "keys")

    def test_authlib_by_introspection(self) -> None:
        address = self.serve_wsgi(protect(MintmarkValidator(ISSUER, ORDERS, API_KEY)))
        self.hold(address, ORDERS, "api", "introspection")

    def test_pyjwt(self) -> None:
        self.hold(self.serve_asgi(lambda _: check_asgi(make_check(ISSUER, ORDERS))), ORDERS, "api", "keys")

    def test_follower(self) -> None:
        follower = Follower(ISSUER, ORDERS, API_KEY, 10, print)
        self.addCleanup(follower.stop)
        while follower.facts is None:
            time.sleep(0.01)

        def check(token: str) -> dict:
            while True:
                try:
                    return follower.verify(token)
                except Stale:
                    time.sleep(0.01)

        self.hold(self.serve_asgi(lambda _: check_asgi(check)), ORDERS, "api", "feed")

    def test_mcp_server(self) -> None:
        origin = self.serve_asgi(lambda at: mcp_server.make_app(ISSUER, f"{at}/mcp", API_KEY))
        self.hold(f"{origin}/mcp", f"{origin}/mcp", "mcp", "feed")


if __name__ == "__main__":
    unittest.main()
