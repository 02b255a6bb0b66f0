"""An API on FastAPI: reading orders needs the scope db:read, adding one needs db:write."""

import os
from typing import Annotated

from fastapi import FastAPI, Security
from mintmark_auth import Verified, Verifier
from mintmark_auth.fastapi import RequireToken, install

# Knows of each revocation within milliseconds. If it hears nothing for 5 s, it asks the service about each token.
verifier = Verifier(
    os.environ["BASE_URL"],
    os.environ.get("AUDIENCE", "http://127.0.0.1:3005"),
    api_key=os.environ["ADMIN_API_KEY"],
    name="orders",
)
require_token = RequireToken(verifier)

app = FastAPI()
install(app, verifier)
orders = ["tea"]


@app.get("/orders")
def read_orders(verified: Annotated[Verified, Security(require_token, scopes=["db:read"])]) -> dict:
    return {"orders": orders, "caller": verified.claims["sub"]}


@app.post("/orders", status_code=201)
def add_order(verified: Annotated[Verified, Security(require_token, scopes=["db:write"])]) -> dict:
    orders.append("tea")
    return {"count": len(orders)}
