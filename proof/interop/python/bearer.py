"""Finds the token in a request."""


def token_of(lines: list[str]) -> str:
    """The token of a request's Authorization lines; empty where there is none, or more than one line that could hold it."""
    if len(lines) != 1:
        return ""
    scheme, _, token = lines[0].partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
