"""Gets a token, asks whether it is active, revokes it, and asks again."""

import json
import os
import urllib.parse
import urllib.request

BASE_URL, ADMIN_API_KEY = os.environ["BASE_URL"], os.environ["ADMIN_API_KEY"]
CLIENT = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}


def post(path: str, form: dict[str, str], headers: dict[str, str] | None = None) -> dict:
    """Sends a form; a refusal raises urllib.error.HTTPError."""
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(urllib.request.Request(BASE_URL + path, body, headers or {})) as response:
        return json.load(response)


def introspect(token: str) -> None:
    """Prints whether the token is active."""
    answer = post("/oauth/introspect/v2", {"token": token}, {"X-API-Key": ADMIN_API_KEY})
    print(json.dumps({"active": answer["active"]}, separators=(",", ":")))


if __name__ == "__main__":
    issued = post("/oauth/token", {"grant_type": "client_credentials", "scope": "db:read", **CLIENT})
    introspect(issued["access_token"])
    post("/oauth/revoke", {"token": issued["access_token"], **CLIENT})
    introspect(issued["access_token"])
