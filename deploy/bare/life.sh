# The life of a token in a service that was installed. Sourced by deploy/check-bare, which sets $dir, $port and $data: the data folder
# as this machine sees it.

# member NAME FILE: of a JSON object of one line.
member() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$2"; }

settings() {
  echo "MINTMARK_DATA_DIR=$1 MINTMARK_BASE_URL=http://127.0.0.1:$port HOST=127.0.0.1 PORT=$port
    MINTMARK_IDP_ISSUER=http://127.0.0.1:65009 MINTMARK_IDP_AUDIENCE=mintmark MINTMARK_DRAIN_SECONDS=0 MINTMARK_KEY_ENCRYPTION_KEY=$key"
}

serve() {
  start "$dir/serve.log" "$@" serve
  wait_for "$dir/serve.log" 'Mintmark serves'
}

is_active() {
  curl -sS "http://127.0.0.1:$port/oauth/introspect/v2" -H "X-API-Key: $(member api_key "$dir/key.json")" \
    -d token="$(member access_token "$dir/token.json")" | tee "$dir/verdict.json" | grep -q '"active":true'
}

# Not `! is_active`: bash goes on after a negated command that failed.
is_ended() {
  if is_active; then return 1; fi
  grep -qx '{"active":false}' "$dir/verdict.json"
}

# token_lives MINTMARK…: MINTMARK is how the command is run, with its settings. A token is issued, introspected and revoked, and
# what the service acknowledged is there after SIGTERM and another start.
token_lives() {
  "$@" migrate
  "$@" agent create --name bare --scope db:read --json >"$dir/agent.json"
  "$@" api-key create --name bare --permission tokens:introspect --json >"$dir/key.json"
  serve "$@"
  curl -sS "http://127.0.0.1:$port/oauth/token" -d grant_type=client_credentials -d client_id="$(member client_id "$dir/agent.json")" \
    -d client_secret="$(member client_secret "$dir/agent.json")" -d scope=db:read >"$dir/token.json"
  is_active
  stop_service
  serve "$@"
  is_active
  local id
  id=$(sed -n 's/.*"jti":"\([^"]*\)".*/\1/p' "$dir/verdict.json")
  "$@" token revoke "$id" --yes
  is_ended
  stop_service
  serve "$@"
  is_ended
  "$@" token show "$id" | tee "$dir/token.txt"
  stop_service
  grep -q manual_revocation "$dir/token.txt"
}
