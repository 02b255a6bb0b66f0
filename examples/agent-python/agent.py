"""An agent that calls an API: its token is fetched when it is needed, kept, and replaced in time."""

import os

import httpx2
from mintmark_auth.client import TokenSource
from mintmark_auth.httpx2 import Auth

API = os.environ.get("API_URL", "http://127.0.0.1:3005")

source = TokenSource(
    os.environ["BASE_URL"],
    os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    resource=API,  # the token is sent to this origin alone
    scopes=["db:read"],
)
with httpx2.Client(auth=Auth(source)) as client:
    response = client.get(f"{API}/orders")
    print(response.status_code, response.text)
