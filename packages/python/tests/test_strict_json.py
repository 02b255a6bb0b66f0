"""JSON and base64url with one meaning and one spelling."""

import base64
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintmark_auth.tokens.claims import is_count
from mintmark_auth.tokens.compact_jws import CompactReader, decode_canonical, encode_base64url
from mintmark_auth.tokens.strict_json import DEPTH_MAX, parse_object

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

REFUSED = {
    "a repeated name": b'{"a":1,"a":1}',
    "a repeated name by an escape": b'{"a":1,"\\u0061":1}',
    "a repeated name deep inside": b'{"a":[{"b":{"c":1,"c":2}}]}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "a byte order mark": b'\xef\xbb\xbf{"a":1}',
    "invalid UTF-8": b'{"a":"\xff"}',
    "a surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}',
    "an overlong form": b'{"a":"\xc0\xaf"}',
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "a control character": b'{"a":"\n"}',
    "a comment": b'{"a":1}//',
    "a trailing comma": b'{"a":1,}',
    "a leading zero": b'{"a":01}',
    "digits of another script": '{"a":١}'.encode(),
    "a space of another kind": '{"a":\u00a01}'.encode(),
    "an array": b"[]",
    "a text": b'"a"',
    "nothing": b"",
    "two objects": b"{}{}",
    "single quotes": b"{'a':1}",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_has_more_than_one_meaning_is_refused(text: bytes) -> None:
    assert parse_object(text) is None


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b'"[[[[[[[[[[[[[[[[[[[["' + b"}" * depth


def test_depth_is_limited_without_exhausting_the_stack() -> None:
    assert parse_object(nested(DEPTH_MAX)) is not None
    assert parse_object(nested(DEPTH_MAX + 1)) is None
    assert parse_object(b"[" * 1_000_000) is None
    assert parse_object(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}") is None
    many = b'{"a":[' + b"[]," * 100 + b'"\\"[\\\\"]}'
    assert parse_object(many) == json.loads(many)


def test_a_caller_deep_in_the_stack_is_no_reason_to_refuse_a_text() -> None:
    text = json.dumps({"a": {"b": {"c": {}}}}).encode()

    def descend(depth: int) -> Any:
        return descend(depth - 1) if depth else parse_object(text)

    outcomes = set()
    for depth in range(sys.getrecursionlimit() + 1):
        try:
            outcomes.add(descend(depth) is None)
        except RecursionError:
            break
    assert outcomes == {False}


def test_numbers_are_read_as_other_readers_do() -> None:
    huge = b"1" * 5000
    read = parse_object(b'{"a":1e3,"b":1.0,"c":-0,"d":1e999,"e":' + huge + b',"f":9007199254740993,"g":true}')
    assert read is not None
    counts = {name: is_count(value) for name, value in read.items()}
    assert counts == {"a": True, "b": True, "c": True, "d": False, "e": False, "f": False, "g": False}
    assert (read["a"], read["e"]) == (1000, float("inf"))
    assert parse_object(b'{"e":' + huge + b',"e":' + huge + b"}") is None


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_python_writes_is_read_the_same(value: dict[str, Any]) -> None:
    for is_ascii in (True, False):
        assert parse_object(json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")) in (value, None)
    if not any(0xD800 <= ord(character) < 0xE000 for character in repr(value)):
        assert parse_object(json.dumps(value).encode()) == value


@given(st.binary(max_size=40))
def test_bytes_never_raise(text: bytes) -> None:
    read = parse_object(text)
    assert read is None or isinstance(read, dict)


@given(st.binary(min_size=1, max_size=70))
def test_base64url_has_one_spelling(data: bytes) -> None:
    text = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    assert encode_base64url(data) == text
    assert decode_canonical(text) == data
    for other in (text + "=", text + "A" * (4 - len(text) % 4) + "=", " " + text, text + "\n", text + "\u0661"):
        assert decode_canonical(other) is None
    if len(text) % 4:
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        surplus = text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
        assert decode_canonical(surplus) is None


@given(st.text(alphabet="Aw-_.=+/ \n\u0661\ud800", max_size=30))
def test_texts_never_raise(text: str) -> None:
    assert CompactReader(100).read(text) is None
    assert decode_canonical(text) is None or decode_canonical(text) == base64.urlsafe_b64decode(text + "==")
