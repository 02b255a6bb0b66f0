"""Tokens in the requests of requests: `session.auth = Auth(source)`, or `requests.get(url, auth=Auth(source))`."""

from collections.abc import Collection
from functools import partial
from typing import Any

import requests
from requests.auth import AuthBase
from requests.cookies import extract_cookies_to_jar

from .client.auth import Next, Sending, parse_origins
from .client.source import TokenSource

__all__ = ["Auth"]


def _is_repeatable(request: requests.PreparedRequest) -> bool:
    return request.body is None or isinstance(request.body, (bytes, str))


def _judge(sending: Sending, response: requests.Response) -> Next:
    return sending.judge(response.status_code, response.headers, response.request, _is_repeatable(response.request))


class Auth(AuthBase):
    """Sends the token of a source, with a proof where it is bound. After a 401 it gets a new token and repeats the request
    once, where its body can be sent again; at most one new token in 10 s."""

    def __init__(self, source: TokenSource, *, origins: Collection[str] = ()) -> None:
        """Raises ValueError where no origin is known.

        origins: Where the token may be sent; the origins of the resource of the source unless given. A request to another
            one is a ValueError, and a redirect to one goes without the token, also one from http to https of the same host:
            that is another origin.
        """
        self._source = source
        self._origins = parse_origins(source, origins)

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        sending = Sending(self._source, self._origins)
        sending.aim(request, _is_repeatable(request))
        request.headers.update(sending.headers_for(self._source.get_token()))
        request.register_hook("response", partial(self._settle, sending))
        return request

    def _settle(self, sending: Sending, response: requests.Response, **options: Any) -> requests.Response:
        """Called for each answer, also for those of redirects, which carry this hook on."""
        token = None
        while (step := _judge(sending, response)) != "done":
            request = response.request
            if step == "moved":
                sending.aim(request, _is_repeatable(request))
            if token is None or step == "renew":
                token = self._source.get_token()
            # In place: a redirect of the repeated answer is made from this request.
            request.headers.update(sending.headers_for(token))
            # As the digest of requests does. It changes no header that is there.
            cookies = request._cookies  # pyright: ignore[reportPrivateUsage]
            if cookies is not None:
                extract_cookies_to_jar(cookies, request, response.raw)
                request.prepare_cookies(cookies)
            response.close()
            repeated = response.connection.send(request, **options)
            repeated.history.append(response)
            response = repeated
        if response.is_redirect:
            # The proof is for this address, and goes to no other one.
            response.request.headers.pop("DPoP", None)
        return response
