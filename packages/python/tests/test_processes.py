"""A verifier in the children of a process, and at its end."""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from conftest import Setting
from publisher import Publisher
from service import INTROSPECTION_PATH, KEYS_PATH, Answer, Handler

from mintmark_auth import Refused, Status, Verifier
from mintmark_auth.verify.options import MODES

SOURCE = Path(__file__).parent
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork.")
# A test forks a process that has threads, as servers do.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def verify_in_child(verifier: Verifier, token: str, pipe: Connection) -> None:
    outcome: str
    try:
        outcome = verifier.verify(token).by
    except Refused as refused:
        outcome = refused.refusal
    pipe.send((outcome, verifier.status()))


def outcome_in_child(verifier: Verifier, token: str) -> tuple[str, Status]:
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=verify_in_child, args=(verifier, token, there))
    child.start()
    assert here.poll(10), "The child hangs."
    received: tuple[str, Status] = here.recv()
    child.join(10)
    assert child.exitcode == 0
    return received


@needs_fork
@forks
def test_a_child_reads_keys_of_its_own_and_the_parent_keeps_its(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(token)
    outcome, status = outcome_in_child(verifier, token)
    assert (outcome, status.cached_tokens, status.failures) == ("signature", 1, 0)
    assert setting.key_readings == 2
    verifier.verify(setting.mint(seq=1))
    assert setting.key_readings == 2


@needs_fork
@forks
def test_a_child_of_a_fork_amid_a_reading_does_not_wait_for_a_thread_that_it_has_not(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    go_on = multiprocessing.Event()

    def answer_late(handler: Handler) -> Answer:
        assert go_on.wait(10)
        return Answer(status=500)

    good = setting.service.answers[KEYS_PATH]
    setting.service.answer(KEYS_PATH, answer_late)
    verifier.ready(0)
    while setting.key_readings == 0:
        time.sleep(0.001)
    setting.service.answer(KEYS_PATH, good)
    core = verifier._core
    # As another thread may hold them right then.
    with core.key_set._lock, core.cache._lock, core._client._workers._changed:
        outcome, _ = outcome_in_child(verifier, token)
    go_on.set()
    assert outcome == "signature"


@needs_fork
@forks
def test_a_child_shares_no_connection(setting: Setting) -> None:
    verifier, token = setting.verifier(mode="introspect"), setting.mint()
    ports: list[int] = []

    def answer(handler: Handler) -> Answer:
        ports.append(handler.client_address[1])
        body = f'{{"active":true,"sub":"agent-1","exp":{setting.clock.wall_ms // 1000 + 300},"scope":"db:read mail:send"}}'
        return Answer(body.encode())

    setting.service.answer(INTROSPECTION_PATH, answer)
    verifier.verify(token)
    verifier.verify(token)
    assert outcome_in_child(verifier, token)[0] == "introspection"
    verifier.verify(token)
    assert ports[0] == ports[1] == ports[3] != ports[2]


@needs_fork
@forks
def test_a_server_that_forks_without_hooks_of_python_is_noticed_by_the_process_number(
    monkeypatch: pytest.MonkeyPatch, setting: Setting
) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(token)
    before = verifier._core
    monkeypatch.setattr(os, "getpid", lambda: before._clock.wall_ms())
    verifier.verify(setting.mint(seq=1))
    assert verifier._core is not before
    assert setting.key_readings == 2


@needs_fork
def test_a_child_of_such_a_server_waits_for_no_lock_of_its_parent(setting: Setting) -> None:
    verifier, token = setting.verifier(), setting.mint()
    verifier.verify(token)
    core = verifier._core
    # In the half that is moved with its next use.
    core.cache._young, core.cache._old = {}, core.cache._young

    def status_of_child() -> int:
        with core.key_set._lock, core.cache._lock, core._client._workers._changed:
            # Without the hooks of Python.
            child = ctypes.PyDLL(None).fork()
            if child == 0:
                try:
                    signal.alarm(10)
                    verifier.verify(token)
                    os._exit(0)
                finally:
                    os._exit(1)
        return os.waitpid(child, 0)[1]

    # At the moment of such a fork another thread may hold a lock of the interpreter itself, which is nobody's to mend.
    assert 0 in (status_of_child() for _ in range(3))


@needs_fork
@forks
def test_a_verifier_that_is_closed_stays_so_in_a_child(setting: Setting) -> None:
    verifier = setting.verifier()
    verifier.close()
    assert outcome_in_child(verifier, setting.mint())[0] == "closed"


def test_spawn_refuses_a_verifier_with_the_advice(setting: Setting) -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    with here, there, pytest.raises(TypeError, match="make one in each process"):
        context.Process(target=verify_in_child, args=(setting.verifier(), "x", there)).start()


PROGRAM = """
import sys, threading
from mintmark_auth import Refused, Verifier
verifier = Verifier(sys.argv[1], "https://orders.example/v1", mode=sys.argv[3], api_key="mma_secret")
if sys.argv[3] == "feed":
    verifier.ready(0)
threading.Thread(target=lambda: verifier.verify(sys.argv[2]), daemon=True).start()
core = verifier._core
while not (core._client._workers._running or core._introspection_client._workers._running):
    pass
print("waiting", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("mode", ["feed", "introspect"])
def test_a_process_ends_at_once_beside_a_service_that_hangs(setting: Setting, mode: str) -> None:
    for path in (INTROSPECTION_PATH, "/oauth/revocation-feed"):
        setting.service.answer(path, lambda handler: handler.hang())
    command = [sys.executable, "-W", "error", "-c", PROGRAM, setting.service.issuer, setting.mint(), mode]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "waiting\n"
        while not setting.service.received:
            time.sleep(0.001)
        since = time.monotonic()
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.wait(10) == 0
        assert time.monotonic() - since < 0.5
        assert process.stderr is not None
        assert process.stderr.read() == ""


FORKING = """
import os, sys, time
from mintmark_auth import Verifier
verifier = Verifier(sys.argv[1], "https://orders.example/v1", api_key="mma_secret")
verifier.ready(0)
time.sleep(float(sys.argv[3]))
child = os.fork()
if child == 0:
    print(verifier.verify(sys.argv[2]).by, flush=True)
    os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@needs_fork
@pytest.mark.parametrize("seconds", [0, 0.01, 0.02, 0.05])
def test_a_child_of_a_fork_right_after_the_first_use_verifies(publisher: Publisher, seconds: float) -> None:
    command = [sys.executable, "-c", FORKING, publisher.issuer, publisher.issue(), str(seconds)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert said.stdout in ("feed\n", "introspection\n"), said.stderr


LOADING = """
import sys
from mintmark_auth import Verifier
verifier = Verifier(sys.argv[1], "https://orders.example/v1", api_key="mma_secret", mode=sys.argv[3], name="api-1")
before = set(sys.modules)
verifier.ready()
verifier.verify(sys.argv[2])
print(set(sys.modules) - before)
"""


@pytest.mark.parametrize("mode", MODES)
def test_what_a_verifier_needs_is_loaded_by_the_thread_that_makes_it(publisher: Publisher, mode: str) -> None:
    """A thread of its own would hold locks of imports: a child of a fork right then would wait for them for ever."""
    command = [sys.executable, "-c", LOADING, publisher.issuer, publisher.issue(), mode]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout == "set()\n"


def test_the_import_loads_no_http_and_no_event_loop() -> None:
    code = "import sys, mintmark_auth; print({'asyncio', 'urllib3', 'http.client', 'ssl', 'logging'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
