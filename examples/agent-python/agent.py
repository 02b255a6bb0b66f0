"""An agent that calls an API: its token is fetched when it is needed, kept, and replaced in time."""

import os
import sys

import httpx2
from mintmark_auth.client import TokenRefused, TokenSource
from mintmark_auth.httpx2 import Auth

API = os.environ.get("API_URL", "http://127.0.0.1:3005")
CLIENT_ID = os.environ["CLIENT_ID"]

source = TokenSource(
    os.environ["BASE_URL"],
    CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    resource=API,  # the token is sent to this origin alone
    scopes=["db:read"],
)
try:
    with httpx2.Client(auth=Auth(source)) as client:
        response = client.get(f"{API}/orders")
        print(response.status_code, response.text)
except TokenRefused as refused:
    sys.exit(f"{refused} Check the agent and its secret: npx mintmark agent show {CLIENT_ID}")
