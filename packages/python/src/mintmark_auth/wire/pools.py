"""Connections of urllib3 that can be interrupted. Loaded with the first client, because urllib3 takes a while."""

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util import make_headers, parse_url

from .threads import Job

if TYPE_CHECKING:
    from ssl import SSLContext

_CONNECTIONS_KEPT = 8


class _Current(threading.local):
    job: Job[Any] | None = None


current: _Current = _Current()
"""The job whose thread this is, which interrupts its connection at each step from the connect on."""


def _watch(connection: HTTPConnection) -> None:
    def interrupt() -> None:
        connected: socket.socket | None = connection.sock
        if connected is not None:
            # Not its own method: that of TLS ends the encryption, and the thread that reads would go on in plain text.
            # It may have ended already.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    if current.job is not None:
        current.job.interrupt_by(interrupt)


class _HttpConnection(HTTPConnection):
    def connect(self) -> None:
        _watch(self)
        super().connect()

    def request(self, *args: Any, **options: Any) -> None:
        _watch(self)
        super().request(*args, **options)


class _HttpsConnection(_HttpConnection, HTTPSConnection):
    """Watched, and then that of TLS: a class comes before its own bases, and they before those that they share."""

    @property
    def is_connected(self) -> bool:
        """Not where more came than the last answer, which would be taken for the next one: TLS may have read it already."""
        pending = getattr(self.sock, "pending", None)
        return super().is_connected and pending is not None and pending() == 0


class _Lending(HTTPConnectionPool):
    def _put_conn(self, conn: Any) -> None:
        """Takes a connection back. Another job may use it at once, which nobody who interrupts this one may hit."""
        if current.job is not None:
            current.job.interrupt_by(None)
        super()._put_conn(conn)


class _HttpPool(_Lending):
    # Its own classes do not meet urllib3's protocol to the letter either.
    ConnectionCls = _HttpConnection  # pyright: ignore[reportAssignmentType]


class _HttpsPool(_Lending, HTTPSConnectionPool):
    ConnectionCls = _HttpsConnection  # pyright: ignore[reportAssignmentType]


def _make_proxied(proxy: str, options: dict[str, Any]) -> urllib3.ProxyManager:
    """With the user name and the password of its address, which urllib3 leaves to its caller."""
    user = parse_url(proxy).auth
    headers = None if user is None else make_headers(proxy_basic_auth=unquote(user))
    return urllib3.ProxyManager(proxy, proxy_headers=headers, **options)


def make_pools(proxy: str | None, ssl_context: "SSLContext | None") -> urllib3.PoolManager:
    options: dict[str, Any] = {"maxsize": _CONNECTIONS_KEPT}
    if ssl_context is not None:
        options["ssl_context"] = ssl_context
    pools = urllib3.PoolManager(**options) if proxy is None else _make_proxied(proxy, options)
    watched: dict[str, type[HTTPConnectionPool] | type[HTTPSConnectionPool]] = {"http": _HttpPool, "https": _HttpsPool}
    pools.pool_classes_by_scheme = watched
    return pools
