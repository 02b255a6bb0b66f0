"""An API for the servers of the tests: WSGI and ASGI, each with one verifier that is made at import."""

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from mintmark_auth import Refused, Verifier

verifier = Verifier(os.environ["ISSUER"], "https://orders.example/v1", api_key=os.environ["API_KEY"], when_stale="refuse")


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    said: str
    try:
        said, status = verifier.verify(environ["HTTP_AUTHORIZATION"].removeprefix("Bearer ")).by, "200 OK"
    except Refused as refused:
        said, status = refused.refusal, f"{refused.status} Refused"
    body = json.dumps([os.getpid(), said]).encode()
    start_response(status, [("content-length", str(len(body)))])
    return [body]


async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])  # no lifespan
    token = dict(scope["headers"])[b"authorization"].decode().removeprefix("Bearer ")
    said: str
    try:
        said, status = (await verifier.averify(token)).by, 200
    except Refused as refused:
        said, status = refused.refusal, int(refused.status)
    body = json.dumps([os.getpid(), said]).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})
