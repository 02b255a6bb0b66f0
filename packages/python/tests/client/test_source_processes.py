"""A source of tokens in the children of a process, on one event loop after another, and at the end of a process."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import pytest
from service import Answer, Handler
from token_service import TOKEN_PATH, Tokens, good_token, unavailable

from mintmark_auth.client import TokenSource

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork.")
# A test forks a process that has threads, as servers do.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def get_in_child(source: TokenSource, pipe: Connection) -> None:
    token = source.get_token()
    prover = source._cache.connected.prover
    # As a server does that forks without hooks of Python.
    os.getpid = lambda: -1
    assert source.get_token() is not token
    pipe.send((token.value, None if prover is None else prover._held_key()[1]["x"]))


def token_of_child(source: TokenSource) -> tuple[str, str | None]:
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=get_in_child, args=(source, there))
    child.start()
    assert here.poll(10), "The child hangs."
    received: tuple[str, str | None] = here.recv()
    child.join(10)
    assert child.exitcode == 0
    return received


@needs_fork
@forks
def test_a_child_gets_a_token_and_a_proof_key_of_its_own_over_its_own_connection(tokens: Tokens) -> None:
    ports: list[int] = []

    def answer(handler: Handler) -> Answer | None:
        ports.append(handler.client_address[1])
        return good_token(token_type="DPoP")(handler)

    tokens.answer_with(answer)
    source = tokens.source(dpop=True)
    other = source.on_behalf_of("eyJ.received.x", resource="https://two.example")
    mine = source.get_token()
    other.get_token()
    prover = source._cache.connected.prover
    assert prover is not None
    key = prover._held_key()[1]["x"]
    seen = [token_of_child(source), token_of_child(other)]
    assert source.get_token() is mine
    assert prover._held_key()[1]["x"] == key
    assert len({mine.value, *(value for value, _ in seen)}) == 3
    assert len({key, *(x for _, x in seen)}) == 3
    assert ports[0] == ports[1] not in ports[2:]
    assert len(ports) == 6


@needs_fork
@forks
def test_a_child_of_a_fork_amid_a_request_does_not_wait_for_a_thread_that_it_has_not(tokens: Tokens) -> None:
    go_on = multiprocessing.Event()

    def answer_late(handler: Handler) -> Answer:
        assert go_on.wait(10)
        return Answer(status=500)

    tokens.answer_with(answer_late)
    source = tokens.source(dpop=True)
    waiting = threading.Thread(target=lambda: unavailable(source.get_token))
    waiting.start()
    while not tokens.requests:
        time.sleep(0.001)
    tokens.answer_with(good_token(token_type="DPoP"))
    agent, cache = source._agent, source._cache
    prover = cache.connected.prover
    assert prover is not None
    # As another thread may hold them right then.
    with agent._renewing, cache._lock, cache.connected.lock, cache.connected.workers._changed, prover._lock:
        value, _ = token_of_child(source)
    go_on.set()
    waiting.join()
    assert value.startswith("token.number.")


def test_a_server_that_forks_without_hooks_of_python_is_noticed_by_the_process_number(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tokens.source()
    first = source.get_token()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    second = source.get_token()
    assert second.value != first.value
    assert source.get_token() is second
    source.invalidate(second)
    assert source.get_token() is not second
    assert len(tokens.requests) == 3


def test_spawn_refuses_a_source_with_the_advice(tokens: Tokens) -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    with here, there, pytest.raises(TypeError, match="make one in each process"):
        context.Process(target=get_in_child, args=(tokens.source(), there)).start()


PROGRAM = """
import sys, threading
from mintmark_auth.client import TokenSource
source = TokenSource(sys.argv[1], "reports", client_secret="x")
if sys.argv[2] == "aside":
    token = source.get_token()
    source._cache._kept = source._cache._kept._replace(refresh_after_ms=0)
    assert source.get_token() is token
else:
    threading.Thread(target=source.get_token, daemon=True).start()
sys.stdin.readline()
"""


@pytest.mark.parametrize("how", ["aside", "waiting"])
def test_a_process_ends_at_once_beside_a_service_that_hangs(tokens: Tokens, how: str) -> None:
    answers = [good_token()] if how == "aside" else []
    tokens.answer_with(lambda handler: answers.pop()(handler) if answers else handler.hang())
    wanted = 2 if how == "aside" else 1
    command = [sys.executable, "-W", "error", "-c", PROGRAM, tokens.service.issuer, how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        give_up = time.monotonic() + 20
        while tokens.service.requests_of(TOKEN_PATH) < wanted:
            assert time.monotonic() < give_up
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.001)
        since = time.monotonic()
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.wait(10) == 0
        assert time.monotonic() - since < 0.5
        assert process.stderr.read() == ""


LOADING = """
import sys
from mintmark_auth.client import TokenSource
source = TokenSource(sys.argv[1], "reports", client_secret="x", dpop=True)
before = set(sys.modules)
source.get_token()
print(set(sys.modules) - before)
"""


def test_what_a_source_needs_is_loaded_by_the_thread_that_makes_it(tokens: Tokens) -> None:
    """As with a verifier: a child of a fork would wait for imports that nobody goes on with."""
    tokens.answer_with(good_token(token_type="DPoP"))
    command = [sys.executable, "-c", LOADING, tokens.service.issuer]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout == "set()\n"


def test_the_import_loads_no_http_no_event_loop_and_no_framework() -> None:
    names = "{'asyncio', 'urllib3', 'http.client', 'ssl', 'logging', 'httpx', 'httpx2', 'requests'}"
    code = f"import sys, mintmark_auth.client; print({names} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_a_source_that_nobody_keeps_is_gone(tokens: Tokens) -> None:
    import gc
    import weakref

    source = tokens.source()
    source.get_token()
    gone: list[Callable[[], object]] = [weakref.ref(source._agent), weakref.ref(source._cache)]
    del source
    gc.collect()
    assert [one() for one in gone] == [None, None]
