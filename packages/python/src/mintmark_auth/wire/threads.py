"""Work that may wait, on daemon threads of our own; and how callers wait for it, in a thread or on an event loop.

What may have to wait is written once, as a generator of the waits that it needs (`Steps`), and run by `finish` or `afinish`.
Nothing is bound to an event loop, so one verifier serves all loops and threads of a process.
"""

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

# concurrent.futures, and asyncio with it, take a while to load: the first HttpClient does.
if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

THREADS_MAX: Final = 8
_IDLE_SECONDS = 10.0


class Wait(NamedTuple):
    """Wait until the future is done, and no longer than this. Futures never hold exceptions, which nobody might read."""

    future: "Future[Any]"
    seconds: float


Steps: TypeAlias = Generator[Wait, None, T]


def make_future() -> "Future[Any]":
    """One that runs: cancel() changes nothing, so a caller that goes away does not spoil it for others."""
    from concurrent.futures import Future

    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future


def block(future: "Future[Any]", seconds: float | None = None) -> None:
    """Waits in this thread until it is done, and no longer than this."""
    from concurrent.futures import wait

    wait((future,), None if seconds is None else max(0.0, seconds))


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    result: T


def _advance(steps: Steps[T]) -> Wait | _End[T]:
    try:
        return next(steps)
    except StopIteration as end:
        return _End(end.value)


def finish(steps: Steps[T], before_wait: Callable[[], None] | None = None) -> T:
    """Runs steps to their end in this thread."""
    try:
        while isinstance(step := _advance(steps), Wait):
            if before_wait is not None:
                before_wait()
            block(step.future, step.seconds)
        return step.result
    finally:
        # A caller that is interrupted while it waits gives back at once what the steps hold.
        steps.close()


async def afinish(steps: Steps[T]) -> T:
    """Runs steps to their end without blocking the event loop."""
    import asyncio

    try:
        while isinstance(step := _advance(steps), Wait):
            wrapped = asyncio.wrap_future(step.future)
            try:
                await asyncio.wait((wrapped,), timeout=max(0.0, step.seconds))
            finally:
                # The shared work goes on: a running future ignores this.
                wrapped.cancel()
        return step.result
    finally:
        steps.close()


class _Kind(threading.local):
    is_own: bool = False


_kind: Final = _Kind()


def start_thread(run: Callable[[], object], name: str) -> None:
    """Runs it on a daemon thread. Raises RuntimeError where there is no memory for one, or the interpreter ends."""

    def run_own() -> None:
        _kind.is_own = True
        run()

    threading.Thread(target=run_own, name=name, daemon=True).start()


def is_own_thread() -> bool:
    """Whether this thread is the verifier's, and not its caller's."""
    return _kind.is_own


def is_on_loop() -> bool:
    """Whether an event loop runs in this thread. Without asyncio, which takes long to import, none does."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


@dataclass(frozen=True, slots=True)
class Failed:
    """What work raised."""

    fault: BaseException


class Job(Generic[T]):
    """Work for a thread, which is interrupted when it takes longer than it may. A caller that waits gives up by then: what
    cannot be interrupted, such as the resolver of host names, may take longer."""

    def __init__(self, workers: "Workers", work: Callable[["Job[T]"], T], seconds: float) -> None:
        self._workers = workers
        self._work = work
        self._deadline = time.monotonic() + seconds
        self.future: Future[T | Failed] = make_future()
        # Reentrant: a handler of a signal may close what this thread is interrupting.
        self._interrupting = threading.RLock()
        self._interrupt: Callable[[], None] | None = None

    def interrupt_by(self, interrupt: Callable[[], None] | None) -> None:
        """What ends a wait of the work from now on; None where it waits for nothing more. The work says so itself. The one
        before is not called after this: one that is being called ends first."""
        with self._interrupting:
            self._interrupt = interrupt

    def extend(self, seconds: float) -> None:
        """From now on it may take so long."""
        self._deadline = time.monotonic() + seconds

    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    def start(self) -> None:
        self._workers.take(self)

    def run(self) -> None:
        try:
            outcome: T | Failed = self._work(self) if self.seconds_left() > 0 else Failed(TimeoutError())
        except BaseException as fault:  # the caller judges it
            outcome = Failed(fault)
        self.future.set_result(outcome)

    def fail(self, fault: BaseException) -> None:
        """In place of `run`."""
        self.future.set_result(Failed(fault))

    def end_wait(self) -> None:
        with self._interrupting:
            if self._interrupt is not None:
                self._interrupt()


def _end_late(running: "list[Job[Any]]") -> None:
    for job in running:
        if job.seconds_left() <= 0:
            job.end_wait()


class Workers:
    """At most `THREADS_MAX` daemon threads, started when there is work for them, gone when there is none for a while."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[Job[Any]] = deque()
        self._running: set[Job[Any]] = set()
        self._threads = 0
        self._idle = 0
        self._is_closed = False

    def take(self, job: Job[Any]) -> None:
        with self._changed:
            is_closed = self._is_closed
            running = list(self._running)
            late = self._drop_late()
            is_short = not is_closed and self._idle <= len(self._queue) and self._threads < THREADS_MAX
            if not is_closed:
                self._queue.append(job)
                self._threads += is_short
                self._changed.notify()
        if is_closed:
            late.append(job)
        for dropped in late:
            dropped.fail(TimeoutError())
        # The caller that needs a thread sees to it that none is occupied for too long: no timer has to.
        _end_late(running)
        if is_short:
            self._start()

    def _drop_late(self) -> "list[Job[Any]]":
        """Takes out what was given up before a thread was free for it: while all hang, callers come and go."""
        late = [job for job in self._queue if job.seconds_left() <= 0]
        if late:
            self._queue = deque(job for job in self._queue if job not in late)
        return late

    def end_late(self) -> None:
        """Interrupts all work whose time is over."""
        with self._changed:
            running = list(self._running)
        _end_late(running)

    def close(self) -> None:
        """Interrupts all work, drops what waits, and ends the threads."""
        with self._changed:
            self._is_closed = True
            dropped, running = list(self._queue), list(self._running)
            self._queue.clear()
            self._changed.notify_all()
        for job in dropped:
            job.fail(TimeoutError())
        for job in running:
            job.end_wait()

    def _start(self) -> None:
        try:
            start_thread(self._work, "mintmark-auth")
        except RuntimeError as fault:  # there is no memory for one, or the interpreter ends
            with self._changed:
                self._threads -= 1
                dropped = list(self._queue) if self._threads == 0 else []
                self._queue = deque() if dropped else self._queue
            for job in dropped:
                job.fail(fault)

    def _take(self) -> Job[Any] | None:
        with self._changed:
            if not self._queue:
                self._idle += 1
                self._changed.wait_for(lambda: self._queue or self._is_closed, _IDLE_SECONDS)
                self._idle -= 1
            if not self._queue:
                self._threads -= 1
                return None
            job = self._queue.popleft()
            self._running.add(job)
            return job

    def _work(self) -> None:
        # Each in a frame of its own: a thread that waits for the next job keeps nothing of the last one.
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        job = self._take()
        if job is None:
            return False
        job.run()
        with self._changed:
            self._running.discard(job)
        return True
