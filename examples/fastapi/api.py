"""An API on FastAPI: reading orders needs the scope db:read, adding one needs db:write."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import jwt
from fastapi import FastAPI, HTTPException, Request, Security
from fastapi.security import SecurityScopes

from follow_feed import Follower, Stale

AUDIENCE = os.environ.get("AUDIENCE", "http://127.0.0.1:3005")


@asynccontextmanager
async def follow(app: FastAPI) -> AsyncIterator[None]:
    # Knows of each revocation within milliseconds. If it hears nothing for 5 s, nobody's token is accepted.
    report = logging.getLogger("uvicorn.error").warning
    app.state.follower = Follower(os.environ["BASE_URL"], AUDIENCE, os.environ["ADMIN_API_KEY"], 5, report)
    yield
    app.state.follower.stop()


def refuse(status: int, error: str, scope: str) -> HTTPException:
    return HTTPException(status, error, {"WWW-Authenticate": f'Bearer error="{error}", scope="{scope}"'})


def claims_of(request: Request, needed: SecurityScopes) -> dict:
    """The claims of a token that is valid, not revoked, and has the scopes; FastAPI calls it in a thread."""
    lines = request.headers.getlist("authorization")
    # Of two lines the framework would return the first, and what reads on may see the second.
    if len(lines) > 1:
        raise refuse(400, "invalid_request", needed.scope_str)
    scheme, _, token = "".join(lines).partition(" ")
    if scheme.lower() != "bearer":
        raise HTTPException(401, "no token", {"WWW-Authenticate": f'Bearer scope="{needed.scope_str}"'})
    try:
        claims = request.app.state.follower.verify(token.strip())
    except jwt.InvalidTokenError as error:
        raise refuse(401, "invalid_token", needed.scope_str) from error
    except Stale as error:
        raise HTTPException(503, "revocations are not known", {"Retry-After": "1"}) from error
    if not set(needed.scopes) <= set(claims.get("scope", "").split()):
        raise refuse(403, "insufficient_scope", needed.scope_str)
    return claims


app = FastAPI(lifespan=follow)
orders = ["tea"]


@app.get("/orders")
def read_orders(claims: Annotated[dict, Security(claims_of, scopes=["db:read"])]) -> dict:
    return {"orders": orders, "caller": claims["sub"]}


@app.post("/orders", status_code=201)
def add_order(claims: Annotated[dict, Security(claims_of, scopes=["db:write"])]) -> dict:
    orders.append("tea")
    return {"count": len(orders)}
