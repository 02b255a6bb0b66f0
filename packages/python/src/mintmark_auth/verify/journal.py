"""Where problems go: counted, the last one kept, each handed to a hook. Hooks are called here alone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from ..wire.clock import Clock
from ..wire.threads import is_own_thread
from .refusals import Refused

if TYPE_CHECKING:
    from .decide import Verified
    from .status import Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hooks:
    """Called for metrics and logs, in the thread of the caller and on its event loop: return at once. What a hook raises is
    reported to `failed`, and changes nothing; SystemExit and its like pass through the caller's thread."""

    verified: "Callable[[Verified], object] | None" = None
    refused: Callable[[Refused], object] | None = None
    changed: "Callable[[Status], object] | None" = None
    """The feed moved, or its position was confirmed. Called in a thread of the follower."""
    failed: Callable[[str], object] | None = None
    """A problem in the background, or a call to the service that failed. Never holds a token, a secret or a key."""


@dataclass(frozen=True, slots=True)
class Problem:
    at: datetime
    problem: str


def _raise_to_caller(fault: BaseException) -> None:
    """What ends programs and tasks, such as SystemExit by a signal, is for the caller whose thread this is. It ends none of
    the verifier's own threads."""
    if not isinstance(fault, Exception) and not is_own_thread():
        raise fault


class Journal:
    def __init__(self, hooks: Hooks, clock: Clock) -> None:
        self._hooks, self._clock = hooks, clock
        self.failures: int = 0
        self.last: Problem | None = None

    def report(self, problem: str) -> None:
        self._note(problem)
        if self._hooks.failed is not None:
            try:
                self._hooks.failed(problem)
            except BaseException as fault:
                _raise_to_caller(fault)
                self._note("The hook failed raised.")

    def notify(self, hook: Callable[[T], object], value: T) -> None:
        try:
            hook(value)
        except BaseException as fault:
            _raise_to_caller(fault)
            self.report("A hook raised.")

    def _note(self, problem: str) -> None:
        self.failures += 1
        self.last = Problem(datetime.fromtimestamp(self._clock.wall_ms() / 1000, UTC), problem)
