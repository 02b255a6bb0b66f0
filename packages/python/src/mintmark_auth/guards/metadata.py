"""The metadata of the protected resource (RFC 9728), which anybody may read, without a token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..proofs.dpop import PROOF_ALGORITHMS
from ..verify.verifier import Verifier
from ..wire.web_address import parse_web_address
from .guard import check_verifier, path_of
from .responses import Answer, write_json

_HEADERS: Final = (
    ("content-type", "application/json"),
    ("cache-control", "public, max-age=300"),
    # Clients in browsers need it.
    ("access-control-allow-origin", "*"),
)
# To a preflight: a client may add headers to its request.
_PREFLIGHT: Final = Answer(
    204,
    (
        ("cache-control", "no-store"),
        ("allow", "GET, HEAD, OPTIONS"),
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "GET, HEAD"),
        ("access-control-allow-headers", "*"),
        ("access-control-max-age", "86400"),
    ),
    b"",
)


@dataclass(frozen=True, slots=True)
class Metadata:
    path: str | None
    """Where this server publishes it (RFC 9728 §3.1); None where the audience is no URL."""
    document: Answer

    def answer(self, method: str, target: str, root: str) -> Answer | None:
        """The response to a request for it; None to any other. With HEAD it has the body too: it is not for sending.

        root: The root of the application: a server that is configured to puts it before the path that was sent.
        """
        if self.path is None or method not in ("GET", "HEAD", "OPTIONS"):
            return None
        if path_of(target.removeprefix(root.rstrip("/"))) != self.path:
            return None
        return _PREFLIGHT if method == "OPTIONS" else self.document


def make_metadata(where: str, verifier: Verifier, members: Mapping[str, object] | None = None) -> Metadata:
    """Raises TypeError or ValueError for what is no verifier, and for members that JSON cannot hold.

    members: Beside those that follow from the verifier (RFC 9728 §2), or in their place, such as `scopes_supported`.
    """
    resource = check_verifier(where, verifier).resource
    document: dict[str, object] = {
        "resource": resource.audience,
        "authorization_servers": [resource.issuer],
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": PROOF_ALGORITHMS,
        **(members or {}),
    }
    address = None if resource.metadata_url is None else parse_web_address(resource.metadata_url)
    return Metadata(None if address is None else address.path, Answer(200, _HEADERS, write_json(document)))
