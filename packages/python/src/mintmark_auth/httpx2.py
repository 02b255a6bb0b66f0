"""Tokens in the requests of httpx2: `httpx2.Client(auth=Auth(source))`, or `httpx2.AsyncClient`."""

import httpx2

from .client.auth import Flow

__all__ = ["Auth"]


class Auth(Flow[httpx2.Request, httpx2.Response], httpx2.Auth):
    """Sends the token of a source, with a proof where it is bound. After a 401 it gets a new token and repeats the request
    once, where its body can be sent again; at most one new token in 10 s."""

    def _is_repeatable(self, request: httpx2.Request) -> bool:
        return isinstance(request.stream, httpx2.ByteStream)
