"""An agent that calls an API: its token is fetched once, kept, and fetched anew when it has expired."""

import os

from authlib.integrations.httpx_client import OAuth2Client

API = os.environ.get("API_URL", "http://127.0.0.1:3005")

agent = OAuth2Client(
    os.environ["CLIENT_ID"],
    os.environ["CLIENT_SECRET"],
    token_endpoint=os.environ["BASE_URL"] + "/oauth/token",
    grant_type="client_credentials",
)
agent.fetch_token(scope="db:read", resource=API)
response = agent.get(f"{API}/orders")
print(response.status_code, response.text)
