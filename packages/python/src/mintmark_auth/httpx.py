"""Tokens in the requests of httpx: `httpx.Client(auth=Auth(source))`, or `httpx.AsyncClient`."""

import httpx

from .client.auth import Flow

__all__ = ["Auth"]


class Auth(Flow[httpx.Request, httpx.Response], httpx.Auth):
    """Sends the token of a source, with a proof where it is bound. After a 401 it gets a new token and repeats the request
    once, where its body can be sent again; at most one new token in 10 s."""

    def _is_repeatable(self, request: httpx.Request) -> bool:
        return isinstance(request.stream, httpx.ByteStream)
