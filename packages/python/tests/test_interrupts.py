"""A job that is late is interrupted, and never what comes after it, on its thread or on its connection."""

import threading
from typing import Any

import pytest
from service import Service
from urllib3.connectionpool import HTTPConnectionPool

from mintmark_auth.wire.destination import parse_destination
from mintmark_auth.wire.http import HttpClient, Request
from mintmark_auth.wire.pools import current
from mintmark_auth.wire.threads import Job, Workers, finish


def test_an_interrupt_that_is_under_way_ends_before_the_work_goes_on() -> None:
    job: Job[None] = Job(Workers(), lambda _: None, 5)
    begun, go_on, went_on = (threading.Event() for _ in range(3))
    calls: list[str] = []

    def interrupt() -> None:
        calls.append("interrupt")
        begun.set()
        assert go_on.wait(10)

    def work_on() -> None:
        job.interrupt_by(None)
        went_on.set()

    job.interrupt_by(interrupt)
    threads = [threading.Thread(target=job.end_wait), threading.Thread(target=work_on)]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    assert not went_on.wait(0.1)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert went_on.is_set()
    job.end_wait()
    assert calls == ["interrupt"]


def test_a_connection_that_was_given_back_is_not_interrupted(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    put, are_connected = HTTPConnectionPool._put_conn, list[bool]()

    def put_and_interrupt(pool: HTTPConnectionPool, connection: Any) -> None:
        assert current.job is not None
        put(pool, connection)
        current.job.end_wait()
        are_connected.append(connection.is_connected)

    monkeypatch.setattr(HTTPConnectionPool, "_put_conn", put_and_interrupt)
    service.answer("/", b"{}")
    client = HttpClient(parse_destination(service.issuer, {"insecure": None, "ssl_context": None, "proxy": None}, ""))
    assert finish(client.send(Request(f"{service.issuer}/", 2))) == b"{}"
    assert are_connected == [True]
    client.close()
