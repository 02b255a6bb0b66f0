"""Access tokens for an agent: requested, kept, renewed beside their use, and sent to resource servers."""

from .access_token import AccessToken, TokenType
from .errors import TokenRefused, TokenUnavailable
from .signing_key import JWK
from .source import TokenSource

__all__ = ["JWK", "AccessToken", "TokenRefused", "TokenSource", "TokenType", "TokenUnavailable"]
