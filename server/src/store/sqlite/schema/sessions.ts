// The seventh schema: sessions of operators in the console. domain/clients/session.ts.
export const SESSIONS = `
create table session (
  id text primary key,
  secret_hash blob not null unique,
  iss text not null,
  sub text not null,
  name text,
  sealed_tokens blob not null,     -- the operator's JWT and what renews it, under the key-encryption key
  created_at integer not null,
  used_at integer not null,        -- to the minute
  expires_at integer not null,     -- of the JWT
  renewing_until integer not null  -- until then somebody renews it
) without rowid, strict;
create index session_of_operator on session (iss, sub, created_at);
`
