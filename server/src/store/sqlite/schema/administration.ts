// The third schema: what operators need to know of agents, credentials, API keys and their own acts.

// A column that is unique cannot be made less so: the table of agents is made anew, so that the name of a deleted agent is
// free again. Numbers stay, and with them what names them.
export const ADMINISTRATION = `
create table agent_anew (
  n integer primary key autoincrement,
  id text not null unique,
  client_id text not null unique,
  name text not null,
  description text,
  owner text,
  labels text not null default '{}',         -- JSON object of strings
  created_at integer not null,
  disabled_at integer,
  deleted_at integer,                        -- a deleted agent is disabled too
  scopes text not null,
  default_scope text,
  resources text not null,
  default_audience text,
  life integer,
  tokens_per_minute integer,                 -- limits: null is none
  tokens_per_day integer,
  live_tokens_max integer,
  at_live_tokens_max text not null default 'refuse' check (at_live_tokens_max in ('refuse', 'supersede')),
  dpop_bound integer not null default 0,     -- 1: no token without a DPoP proof
  suspended_at integer,                      -- by a restore, until an operator accepts it
  certificate_bound integer not null default 0, -- 1: no token but one bound to a certificate
  ended_seq integer not null default 0
) strict;
insert into agent_anew (n, id, client_id, name, created_at, disabled_at, scopes, default_scope, resources,
    default_audience, life, ended_seq)
  select n, id, client_id, name, created_at, disabled_at, scopes, default_scope, resources, default_audience, life, ended_seq
  from agent;
drop table agent;
alter table agent_anew rename to agent;
create unique index agent_name on agent (name) where deleted_at is null;

alter table credential add column name text not null default 'first';
alter table credential add column expires_at integer;
alter table credential add column revoked_at integer;
alter table credential add column last_used_at integer;      -- written at most once a minute
alter table credential add column imported integer not null default 0 check (imported in (0, 1));  -- secret_hash is keyed
alter table credential add column foreign_hash text;         -- of an imported secret, until it was used once; secret_hash is empty
alter table credential add column tokens_kept integer not null default 0;   -- revoked without ending its tokens
alter table credential add column trust text;                -- JSON of domain/clients/client-trust.ts ClientTrust; null: a secret
alter table credential add column suspended_at integer;
create index credential_secret on credential (secret_hash);
-- What a token request is compared with, however many were rotated away before.
create index credential_usable on credential (agent, expires_at) where revoked_at is null;

alter table api_key add column expires_at integer;
alter table api_key add column last_used_at integer;
alter table api_key add column suspended_at integer;

-- The life of a signing key: domain/keys/key-life.ts. A kid that was imported is another than the thumbprint.
alter table signing_key add column thumbprint text not null default '';
alter table signing_key add column state text not null default 'current'
  check (state in ('next', 'current', 'retained', 'gone', 'compromised'));
alter table signing_key add column imported integer not null default 0 check (imported in (0, 1));
alter table signing_key add column signs_from integer;
alter table signing_key add column signs_until integer;
alter table signing_key add column gone_at integer;
alter table signing_key add column steady_ms integer not null default 0;
alter table signing_key add column wanted integer not null default 0 check (wanted in (0, 1));
update signing_key set thumbprint = kid, signs_from = created_at;
create unique index signing_key_thumbprint on signing_key (thumbprint);
create unique index signing_key_signing on signing_key (state) where state in ('next', 'current');

alter table act add column request_id text;
alter table act add column revocation_id text;

alter table cutoff add column revocation_id text;
alter table cutoff add column moved integer not null default 0;   -- tokens whose rows have followed
create unique index cutoff_revocation on cutoff (revocation_id) where revocation_id is not null;

alter table audit add column source text;
create index audit_at on audit (at);
create index audit_kind on audit (kind, at);
create index audit_actor on audit (actor, at);
create index audit_subject on audit (subject, at) where subject is not null;
create index audit_request on audit (request_id, at) where request_id is not null;

create table seal (                          -- of audit entries, in the order of their numbers; docs/storage.md
  n integer primary key autoincrement,       -- 1, 2, 3, …: autoincrement remembers a seal that is gone
  first_n integer not null,
  last_n integer not null,
  entries integer not null,
  head blob not null,                        -- SHA-256 chain over every entry up to the last
  marks blob not null,                       -- 8 bytes an entry, to tell which one is not as it was
  mac blob not null,                         -- HMAC-SHA-256 over all the rest and the MAC of the seal before
  at integer not null
) strict;

create table seal_key (                      -- how seals made under a former key-encryption key are checked
  last_n integer primary key,                -- the last seal that this key made
  sealed_key blob not null                   -- under the key-encryption key of now
) strict;

create table refused (                       -- authentications that were refused, counted
  n integer primary key autoincrement,
  at integer not null,                       -- the minute, as the ms at which it begins
  way text not null,                         -- domain/audit/attempt.ts
  client text not null,                      -- a client id of ours; '' for any other
  source text not null,                      -- an address; '' for all beyond the keys of a minute
  count integer not null,
  unique (at, way, client, source)
) strict;
create index refused_at on refused (at);

create table issue_count (                   -- of agents that may only get so many tokens a minute or a day
  agent integer primary key,
  minute blob not null,                      -- tokens by slot of a second; domain/ledger/rate.ts
  day blob not null                          -- tokens by slot of ten minutes
) strict;

create table idempotency (                   -- what an Idempotency-Key of a caller made
  actor text not null,                       -- JSON of domain/audit/act.ts Actor
  key text not null,
  kind text not null,
  subject text not null,
  at integer not null,
  primary key (actor, key)
) without rowid, strict;
create index idempotency_at on idempotency (at);

create table used_proof (                    -- DPoP proofs and client assertions, as long as one of them could be sent again
  id blob primary key,                       -- 16 bytes of SHA-256 over whose it is and its jti
  until integer not null                     -- the last ms at which it would be taken
) without rowid, strict;
create index used_proof_until on used_proof (until);

create table workload (                      -- the subjects that credentials trust which are not revoked; none overlap
  issuer text not null,
  prefix integer not null check (prefix in (0, 1)),  -- 1: the text is the beginning of subjects
  subject text not null,
  credential integer not null references credential,
  primary key (issuer, prefix, subject)
) without rowid, strict;
create index workload_credential on workload (credential);
`

// The sixteenth schema: what the tokens of an agent say beside the claims of every token. api/values/own-claims.ts.

export const CLAIMS_OF_AGENTS = `alter table agent add column claims text not null default '{}'` // JSON

// The seventeenth schema: from when on an agent is refused, as if it were disabled.

export const ENDS_OF_AGENTS = 'alter table agent add column expires_at integer'

// The eighteenth schema: which set of files declares an agent, a credential or an issuer. domain/clients/managed-record.ts.

export const MANAGED_RECORDS = `
alter table agent add column managed_by text;
alter table credential add column managed_by text;
alter table trusted_issuer add column managed_by text;
create index agent_managed on agent (managed_by, id) where managed_by is not null;
create index credential_managed on credential (managed_by, id) where managed_by is not null;
`
