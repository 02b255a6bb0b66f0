#!/bin/sh
# Gets a token, asks whether it is active, revokes it, and asks again.
set -eu

TOKEN=$(curl -sSf "$BASE_URL/oauth/token" -d grant_type=client_credentials -d scope=db:read \
  -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

introspect() {
  curl -sSf "$BASE_URL/oauth/introspect/v2" -H "X-API-Key: $ADMIN_API_KEY" -d token="$TOKEN" | sed 's/[,}].*/}/'
  echo
}

introspect
curl -sSf "$BASE_URL/oauth/revoke" -d token="$TOKEN" -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" > /dev/null
introspect
