source .mintmark/dev.env
TOKEN=$(curl -s "$BASE_URL/oauth/token" -d grant_type=client_credentials -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" \
  -d scope=db:read -d resource=http://127.0.0.1:3001 | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl -s -w '%{http_code}\n' http://127.0.0.1:3001/orders -H "Authorization: Bearer $TOKEN"
curl -s "$BASE_URL/oauth/revoke" -d token="$TOKEN" -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET"; echo
sleep 0.1; curl -s -w '%{http_code}\n' http://127.0.0.1:3001/orders -H "Authorization: Bearer $TOKEN"
