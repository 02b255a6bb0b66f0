"""Applications behind real servers, and a client that sends the lines of headers as they are given."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer

from guarding import Lines, Reply


@contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask_at(port: int, path: str, lines: Lines = (), method: str = "GET") -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=any(name == "host" for name, _ in lines))
        for name, value in lines:
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, headers, json.loads(body) if body[:1] in (b"{", b'"') else body or None)
    finally:
        connection.close()
