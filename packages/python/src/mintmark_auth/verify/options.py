"""The options of a verifier, checked once: a mistake is an error that names it, and never a verifier that accepts more."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar, get_args

from ..proofs.replays import ProofMemory
from ..tokens.public_keys import ALGORITHMS, Algorithm, is_algorithm
from ..wire.destination import Destination, parse_destination
from ..wire.web_address import parse_web_address
from .asked import is_list
from .journal import Hooks

Mode: TypeAlias = Literal["feed", "offline", "introspect"]
"""`feed`: by the revocation feed, followed in the background. `offline`: by signature alone; a revoked token is accepted
until its `exp`. `introspect`: one call to the service for each token."""

WhenStale: TypeAlias = Literal["introspect", "refuse"]
"""What is done where the feed is staler than allowed, or holds a fact that this version cannot compare."""

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
WHEN_STALE: Final[tuple[WhenStale, ...]] = get_args(WhenStale)
STALENESS_MIN: Final = 0.2
STALENESS_MAX: Final = 3600
STALENESS_USUAL: Final = 5
"""Seconds."""
KEY_AGE_MIN: Final = 1
KEY_AGE_MAX: Final = 86_400
KEY_AGE_USUAL: Final = 3600
"""Seconds."""

C = TypeVar("C", bound=str)

_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_NAME = re.compile(r"(?! )[\x20-\x7e]{1,100}(?<! )")
_API_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Options that are as they should be."""

    destination: Destination
    audiences: tuple[str, ...]
    api_key: str
    mode: Mode
    staleness_ms_max: int
    when_stale: WhenStale
    algorithms: frozenset[str]
    key_age_ms_max: int
    resource_metadata: str | None
    proofs: ProofMemory | None
    name: str | None
    hooks: Hooks


def _fail(what: str) -> NoReturn:
    raise ValueError(f"Verifier: {what}")


def _require_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        _fail(f"{name} is not a string.")


def _parse_audiences(audience: object) -> tuple[str, ...]:
    given: object = [audience] if isinstance(audience, str) else audience
    if not is_list(given) or not given or not all(isinstance(one, str) and one for one in given):
        _fail("audience is missing. Give the URI that tokens for this server carry in aud.")
    return tuple(given)


def _one_of(name: str, allowed: tuple[C, ...], given: object) -> C:
    for one in allowed:
        if one == given:
            return one
    _fail(f"{name} is not one of {', '.join(allowed)}.")


def _parse_api_key(api_key: str | None, mode: Mode, when_stale: WhenStale) -> str:
    _require_text("api_key", api_key)
    if not api_key:
        if mode != "offline":
            needs = f"Mode {mode} ({when_stale} when stale) needs one with the permission tokens:introspect."
            _fail(f"api_key is missing. {needs}")
        return ""
    return api_key if _API_KEY.fullmatch(api_key) else _fail("api_key holds a character that no API key has.")


def _parse_algorithms(algorithms: object) -> frozenset[str]:
    if not is_list(algorithms) or not algorithms or not all(is_algorithm(one) for one in algorithms):
        _fail(f"algorithms is not a list of some of: {', '.join(ALGORITHMS)}.")
    return frozenset(algorithms)


def _parse_seconds(name: str, seconds: Any, least: float, most: float) -> int:
    """In ms."""
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not least <= seconds <= most:
        _fail(f"{name} is not a number of seconds from {least} to {most}.")
    return int(seconds * 1000)


def metadata_url(resource: str) -> str | None:
    """Where the metadata of a resource stands: the suffix comes before the path (RFC 9728 §3.1). None if it is no URL."""
    address = parse_web_address(resource)
    if address is None:
        return None
    return f"{address.origin}{_WELL_KNOWN}{'' if address.path == '/' else address.path}{address.search}"


def _parse_metadata(given: object, audiences: tuple[str, ...]) -> str | None:
    if given is None:
        return metadata_url(audiences[0])
    address = parse_web_address(given) if isinstance(given, str) else None
    return address.href if address is not None else _fail("resource_metadata is not a URL.")


def _parse_name(name: object) -> str | None:
    if name is None or (isinstance(name, str) and _NAME.fullmatch(name)):
        return name
    _fail("name is not 1 to 100 printable characters of ASCII, without spaces around.")


def _parse_hooks(hooks: object) -> Hooks:
    if not isinstance(hooks, Hooks):
        _fail("hooks is not a Hooks.")
    for field in fields(hooks):
        hook = getattr(hooks, field.name)
        if hook is not None and not callable(hook):
            _fail(f"hooks: {field.name} is not a function.")
    return hooks


def _parse_destination(issuer: str, options: Mapping[str, Any]) -> Destination:
    try:
        return parse_destination(issuer, options, "replace the keys")
    except ValueError as fault:
        _fail(str(fault))


def parse_options(issuer: str, audience: str | Sequence[str], options: Mapping[str, Any]) -> Settings:
    """Raises ValueError for the first option that is not as it should be."""
    audiences = _parse_audiences(audience)
    mode: Mode = _one_of("mode", MODES, options["mode"])
    when_stale: WhenStale = _one_of("when_stale", WHEN_STALE, options["when_stale"])
    proofs: ProofMemory | None = options["proofs"]
    if proofs is not None and not callable(proofs):
        _fail("proofs is not a function.")
    algorithms: Collection[Algorithm] = options["algorithms"]
    return Settings(
        destination=_parse_destination(issuer, options),
        audiences=audiences,
        api_key=_parse_api_key(options["api_key"], mode, when_stale),
        mode=mode,
        staleness_ms_max=_parse_seconds("max_staleness", options["max_staleness"], STALENESS_MIN, STALENESS_MAX),
        when_stale=when_stale,
        algorithms=_parse_algorithms(algorithms),
        key_age_ms_max=_parse_seconds("max_key_age", options["max_key_age"], KEY_AGE_MIN, KEY_AGE_MAX),
        resource_metadata=_parse_metadata(options["resource_metadata"], audiences),
        proofs=proofs,
        name=_parse_name(options["name"]),
        hooks=_parse_hooks(options["hooks"]),
    )
