"""Addresses as Node reads them."""

import pytest

from mintmark_auth.wire.web_address import parse_web_address

# Each as `new URL(text)` of Node 26 has it: origin, pathname and search.
READ = {
    "https://api.example": ("https://api.example", "/", ""),
    "HTTPS://API.Example:443/A?b#c": ("https://api.example", "/A", "?b"),
    "http://api.example:0080/": ("http://api.example", "/", ""),
    "http://api.example:/": ("http://api.example", "/", ""),
    "https://api.example:8443/a/./b/../c": ("https://api.example:8443", "/a/c", ""),
    "https://api.example/a/%2E%2e/b/.": ("https://api.example", "/b/", ""),
    "https://api.example/..": ("https://api.example", "/", ""),
    "https://api.example/a//b": ("https://api.example", "/a//b", ""),
    "https://%61pi.example/": ("https://api.example", "/", ""),
    "http://127.1/": ("http://127.0.0.1", "/", ""),
    "http://0x7f.0.0.1/": ("http://127.0.0.1", "/", ""),
    "http://2130706433/": ("http://127.0.0.1", "/", ""),
    "http://[0:0:0:0:0:0:0:1]/": ("http://[::1]", "/", ""),
    "http://[2001:DB8:0:0:1:0:0:1]/": ("http://[2001:db8::1:0:0:1]", "/", ""),
    "http://[1:0:0:2:0:0:0:3]/": ("http://[1:0:0:2::3]", "/", ""),
    "http://[::]/": ("http://[::]", "/", ""),
    "http://[1::]/": ("http://[1::]", "/", ""),
    "http://[::ffff:1.2.3.4]/": ("http://[::ffff:102:304]", "/", ""),
    "http://[1:0:2:3:4:5:6:7]/": ("http://[1:0:2:3:4:5:6:7]", "/", ""),
    "https://api.example./": ("https://api.example.", "/", ""),
}
REFUSED = [
    "https:///api.example",
    "https:api.example",
    "https://",
    "ftp://api.example",
    "https://api.example:65536/",
    "https://api.example:١/",
    "https://api.example:x/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://09.1.1.1/",
    "http://[::1/",
    "http://[1::2::3]/",
    "https://a%00b/",
    "https://a b/",
    "https://%ff/",
]


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ)
def test_an_address_is_read_in_its_normal_form(text: str, expected: tuple[str, str, str]) -> None:
    address = parse_web_address(text)
    assert address is not None
    assert (address.origin, address.path, address.search) == expected


@pytest.mark.parametrize("text", REFUSED)
def test_what_names_no_host_is_no_address(text: str) -> None:
    assert parse_web_address(text) is None
