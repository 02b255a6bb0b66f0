"""The parts of the follower that need no service: event streams in pieces, the tails of what ended, and staleness."""

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintmark_auth.feed.document import Changes, CutOff, Head, Place
from mintmark_auth.feed.ended_tails import EndedTails
from mintmark_auth.feed.event_stream import EventReader, EventTooLarge, ServerEvent
from mintmark_auth.feed.facts import Applied, FactBounds, Facts
from mintmark_auth.feed.staleness import Staleness
from mintmark_auth.feed.verdict import Verdict
from mintmark_auth.tokens.claims import TimeRange
from mintmark_auth.wire.clock import Clock, Instant

STREAM = (
    "event: changes\r\ndata: a\r\ndata: b\r\n\r\n: a comment\nevent: heartbeat\ndata:é\n\nevent: lost\n\ndata\r\rid: 7\n\n"
).encode()
EVENTS = [ServerEvent("changes", "a\nb"), ServerEvent("heartbeat", "é"), ServerEvent("message", "")]


def read_in_pieces(places: Iterator[int] | list[int]) -> list[ServerEvent]:
    reader, ends = EventReader(100), [0, *sorted(places), len(STREAM)]
    return [event for start, end in itertools.pairwise(ends) for event in reader.read(STREAM[start:end])]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_events_are_read_however_a_stream_is_cut(places: list[int]) -> None:
    assert read_in_pieces(places) == EVENTS
    assert read_in_pieces(list(range(len(STREAM)))) == EVENTS


@pytest.mark.parametrize("pieces", [[b"data: " + b"x" * 100], [b"data: x\n"] * 20, [b"x"] * 101])
def test_an_event_that_is_too_large_is_not_kept(pieces: list[bytes]) -> None:
    reader = EventReader(100)
    with pytest.raises(EventTooLarge):
        list(itertools.chain.from_iterable(map(reader.read, pieces)))


def tails_of(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(8) for number in numbers)


TAILS = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), max_size=30)


@given(st.lists(st.tuples(st.integers(1, 4), TAILS), max_size=12), st.integers(0, 5))
def test_ended_tails_are_a_set_of_pairs(added: list[tuple[int, list[int]]], dropped: int) -> None:
    ends = EndedTails()
    for second, tails in added:
        ends.add(second, tails_of(tails))
    ends.drop_before(dropped)
    expected = {(second, tail) for second, tails in added for tail in tails if second >= dropped}
    asked = expected | {(second, tail + 1) for second, tail in expected} | {(0, 0), (3, 2**64 - 1)}
    assert {pair for pair in asked if ends.has(*pair)} == expected
    assert ends.size == len(expected)


def test_a_second_with_many_tails_holds_few_runs() -> None:
    ends, numbers = EndedTails(), random.Random(7).sample(range(2**62), 5_000)
    for number in numbers:
        ends.add(9, tails_of([number]))
    assert len(ends._runs[9]) <= 13
    assert all(ends.has(9, number) for number in numbers)


def changes(start: int, end: int, ended: tuple[tuple[int, bytes], ...] = (), *cut_offs: CutOff) -> Changes:
    return Changes("e", 1_000, start, end, ended, cut_offs)


def test_facts_that_find_no_room_are_not_taken_in_part() -> None:
    facts = Facts("e", FactBounds(ends_max=2, cut_offs_max=1))
    assert facts.apply(changes(0, 1, ((9, tails_of([1, 2, 3])),))) is Applied.FULL
    assert facts.apply(changes(0, 1, (), CutOff(1, 9, {}), CutOff(2, 9, {}))) is Applied.FULL
    assert (facts.position, facts.sizes()[:2]) == (0, (0, 0))
    assert facts.apply(changes(0, 1, ((9, tails_of([1, 2])),))) is Applied.APPLIED


def test_a_token_whose_facts_were_dropped_meanwhile_is_not_clear() -> None:
    jti = "01a20846-fe7b-7abc-a1b2-c3d4e5f60718"
    claims = {"jti": jti, "exp": 9, "seq": 5}
    facts = Facts("e")
    assert facts.judge_young(claims) is Verdict.CLEAR
    facts.pass_time(9_000)
    assert facts.judge_young(claims) is Verdict.CLEAR
    facts.pass_time(9_001)  # between the look at the clock and the look at the facts
    assert facts.judge_young(claims) is Verdict.ENDED


class MovedClock:
    """Two clocks that the test moves."""

    def __init__(self) -> None:
        self.counted = self.wall = 0
        self.clock = Clock(lambda: Instant(self.counted, self.wall))

    def move(self, ms: int) -> None:
        self.counted += ms
        self.wall += ms


def test_a_position_is_confirmed_as_of_the_instant_at_which_it_was_asked_for() -> None:
    time = MovedClock()
    staleness = Staleness(time.clock)
    sent_at = time.clock.now()
    time.move(400)
    staleness.note(Place("e", 3), sent_at, Place("e", 2))
    assert staleness.ms(time.clock.now()) == float("inf")
    staleness.reach(Place("e", 3))
    assert staleness.ms(time.clock.now()) == 400
    staleness.note(Place("e", 3), Instant(-100, -100), Place("e", 3))
    assert staleness.ms(time.clock.now()) == 400
    time.wall += 7_000  # a suspended machine, or a clock that was set
    assert staleness.ms(time.clock.now()) == 7_400
    staleness.reset()
    assert staleness.ms(time.clock.now()) == float("inf")


def test_an_answer_that_a_cache_repeats_is_as_old_as_its_time_says() -> None:
    time = MovedClock()
    staleness = Staleness(time.clock)
    head = Head("e", 0, 50_000)
    staleness.learn(head)
    time.move(10_000)
    assert staleness.date_of(Head("e", 0, 60_000), time.clock.now()) == Instant(10_000, 10_000)
    assert staleness.date_of(Head("e", 0, 59_500), time.clock.now()) == Instant(10_000, 10_000)  # clocks differ
    assert staleness.date_of(head, time.clock.now()) == Instant(0, 0)
    assert staleness.date_of(Head("other", 0, 0), time.clock.now()) == Instant(10_000, 10_000)


def test_the_time_of_the_service_is_known_to_within_the_request_for_it() -> None:
    time = MovedClock()
    staleness = Staleness(time.clock)
    assert staleness.service_time(time.clock.now()) is None
    sent_at = time.clock.now()
    time.move(300)
    staleness.note_time(Head("e", 0, 5_000), sent_at)
    time.move(1_000)
    assert staleness.service_time(time.clock.now()) == TimeRange(6_000, 6_300)
