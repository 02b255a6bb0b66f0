"""A verifier behind the servers that people run: each process follows, each learns of an end, and none hangs at exit."""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from publisher import API_KEY, Publisher, running_publisher
from server_process import running_server
from service import free_port

GUNICORN = [sys.executable, "-m", "gunicorn", "served:wsgi", "--workers", "4", "--bind", "127.0.0.1:{port}"]
UVICORN = [sys.executable, "-m", "uvicorn", "served:asgi", "--port", "{port}", "--lifespan", "off"]
SERVERS = {
    "gunicorn sync": (GUNICORN, 4),
    "gunicorn gthread": ([*GUNICORN, "--worker-class", "gthread", "--threads", "4"], 4),
    "gunicorn preload": ([*GUNICORN, "--preload"], 4),
    "gunicorn gevent": ([*GUNICORN, "--worker-class", "gevent"], 4),
    "uvicorn workers": ([*UVICORN, "--workers", "4", "--loop", "asyncio"], 4),
    "uvicorn uvloop": ([*UVICORN, "--loop", "uvloop"], 1),
}
EXIT_SECONDS_MAX = 5
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="These servers fork.")


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with running_publisher() as running:
        yield running


def ask(port: int, token: str) -> tuple[int, str]:
    """The process that answered, and what it said."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            pid, said = json.loads(response.read())
    except urllib.error.HTTPError as refused:
        pid, said = json.loads(refused.read())
    return pid, said


def ask_each(server: "subprocess.Popen[bytes]", port: int, token: str, processes: int, wanted: set[str]) -> None:
    """Until each process has said something that is wanted."""
    heard: dict[int, str] = {}
    give_up = time.monotonic() + 30
    while len(heard) < processes or not set(heard.values()) <= wanted:
        assert time.monotonic() < give_up, heard
        assert server.poll() is None, "The server has ended."
        try:
            pid, said = ask(port, token)
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)  # it does not listen yet
            continue
        heard[pid] = said


@pytest.mark.parametrize("name", SERVERS)
def test_each_process_of_a_server_learns_of_an_end(publisher: Publisher, name: str, tmp_path: Path) -> None:
    command, processes = SERVERS[name]
    port, log = free_port(), tmp_path / "log"
    given = {"ISSUER": publisher.issuer, "API_KEY": API_KEY}
    with running_server([part.format(port=port) for part in command], given, log) as server:
        one, other = publisher.issue(), publisher.issue()
        ask_each(server, port, one, processes, {"feed"})
        publisher.end(one)
        ended_at = time.monotonic()
        while time.monotonic() < ended_at + 1:
            said, at = ask(port, one)[1], time.monotonic()
            assert said == "revoked" or at < ended_at + 0.5
        ask_each(server, port, one, processes, {"revoked"})
        assert ask(port, other)[1] == "feed"
        publisher.fail("hang")
        server.send_signal(signal.SIGTERM)
        server.wait(EXIT_SECONDS_MAX)
    assert "Traceback" not in log.read_text()
