// In this folder: the schema on PostgreSQL: its migrations, forward only, and the checks before a program uses a database.
// What later schemas have for what operators administer.

// The sixth schema: sessions of operators in the console. domain/clients/session.ts.

export const SESSIONS = `
create table session (
  id text collate "C" primary key,
  secret_hash bytea not null unique,
  iss text collate "C" not null,
  sub text collate "C" not null,
  name text collate "C",
  sealed_tokens bytea not null,    -- the operator's JWT and what renews it, under the key-encryption key
  created_at bigint not null,
  used_at bigint not null,         -- to the minute
  expires_at bigint not null,      -- of the JWT
  renewing_until bigint not null   -- until then somebody renews it
);
create index session_of_operator on session (iss, sub, created_at);
`

// The sixteenth schema: what the tokens of an agent say beside the claims of every token. api/values/own-claims.ts.

export const CLAIMS_OF_AGENTS = `alter table agent add column claims text collate "C" not null default '{}'` // JSON

// The seventeenth schema: from when on an agent is refused, as if it were disabled.

export const ENDS_OF_AGENTS = 'alter table agent add column expires_at bigint'

// The eighteenth schema: which set of files declares an agent, a credential or an issuer. domain/clients/managed-record.ts.

export const MANAGED_RECORDS = `
alter table agent add column managed_by text collate "C";
alter table credential add column managed_by text collate "C";
alter table trusted_issuer add column managed_by text collate "C";
create index agent_managed on agent (managed_by, id) where managed_by is not null;
create index credential_managed on credential (managed_by, id) where managed_by is not null;
`
