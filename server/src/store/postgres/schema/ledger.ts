// The first schema: everything that the embedded store has, for many writers. Ids of tokens are uuids, times are ms.

export const LEDGER = `
create table service (
  one integer primary key check (one = 1),
  made_by text not null check (made_by in ('dev', 'migrate')),
  seq bigint not null,             -- grows with every change that can refuse or end something
  ended_seq bigint not null,       -- every token with a smaller number is dead
  last_end_seq bigint not null,    -- no act ended many tokens after this number
  clock_lease bigint not null,     -- no answer uses a time beyond it
  last_at bigint not null          -- the time of the last act; no later one uses a smaller
) with (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

create table given (               -- the last number of what is numbered without a gap
  what text primary key,
  n bigint not null
) with (fillfactor = 50);
insert into given values ('audit', 0), ('seal', 0);

create table lifetime (life integer primary key);

create table agent (
  n bigint primary key generated always as identity,
  id text not null unique,
  client_id text not null unique,
  name text not null,
  description text,
  owner text,
  labels text not null default '{}',         -- JSON object of strings
  created_at bigint not null,
  disabled_at bigint,
  deleted_at bigint,                         -- a deleted agent is disabled too
  scopes text not null,
  default_scope text,
  resources text not null,
  default_audience text,
  life integer,
  tokens_per_minute bigint,                  -- limits: null is none
  tokens_per_day bigint,
  live_tokens_max bigint,
  at_live_tokens_max text not null default 'refuse' check (at_live_tokens_max in ('refuse', 'supersede')),
  dpop_bound smallint not null default 0,    -- 1: no token without a DPoP proof
  suspended_at bigint,                       -- by a restore, until an operator accepts it
  certificate_bound smallint not null default 0, -- 1: no token but one bound to a certificate
  ended_seq bigint not null default 0
);
create unique index agent_name on agent (name) where deleted_at is null;

create table credential (
  n bigint primary key generated always as identity,
  agent integer not null references agent,
  id text not null unique,
  secret_hash bytea not null,
  created_at bigint not null,
  ended_seq bigint not null default 0,
  name text not null default 'first',
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,                       -- written at most once a minute
  suspended_at bigint,
  imported smallint not null default 0 check (imported in (0, 1)),   -- secret_hash is keyed
  foreign_hash text,                         -- of an imported secret, until it was used once; secret_hash is empty
  tokens_kept smallint not null default 0,   -- revoked without ending its tokens
  trust text                                 -- JSON of domain/clients/client-trust.ts ClientTrust; null: a secret
);
create index credential_agent on credential (agent);
create index credential_secret on credential (secret_hash);
-- What a token request is compared with, however many were rotated away before.
create index credential_usable on credential (agent, expires_at) where revoked_at is null;

create table api_key (
  n bigint primary key generated always as identity,
  id text not null unique,
  name text not null,
  key_hash bytea not null unique,
  permissions text not null,
  audiences text,
  created_at bigint not null,
  revoked_at bigint,
  expires_at bigint,
  last_used_at bigint,
  suspended_at bigint
);

create table signing_key (                   -- its life: domain/keys/key-life.ts
  n bigint primary key generated always as identity,
  kid text not null unique,
  public_jwk text not null,
  sealed_private_key bytea not null,
  key_encryption_key_id text not null,
  created_at bigint not null,
  ended_seq bigint not null default 0,
  thumbprint text not null default '',
  state text not null default 'current' check (state in ('next', 'current', 'retained', 'gone', 'compromised')),
  imported smallint not null default 0 check (imported in (0, 1)),
  signs_from bigint,
  signs_until bigint,
  gone_at bigint,
  steady_ms bigint not null default 0,
  wanted smallint not null default 0 check (wanted in (0, 1))
);
create unique index signing_key_thumbprint on signing_key (thumbprint);
create unique index signing_key_signing on signing_key (state) where state in ('next', 'current');

create table scope_set (
  n bigint primary key generated always as identity,
  text text not null unique,
  used_day integer not null
);
create table scope_set_item (item text not null, n integer not null, primary key (item, n));
create table audience_set (
  n bigint primary key generated always as identity,
  members text not null unique,
  used_day integer not null
);

create table act (
  n bigint primary key generated always as identity,
  kind text not null,
  actor text not null,                       -- JSON of domain/audit/act.ts Actor
  note text,
  at bigint not null,
  request_id text,
  revocation_id text
);
create index act_at on act (at);

create table token (                         -- not ended early
  id uuid not null,
  digest uuid not null,                      -- 16 bytes of SHA-256; a uuid takes no length
  seq bigint not null,
  life integer not null,
  agent integer not null,
  cred integer not null,
  key integer not null,
  scope integer not null,
  aud integer not null,
  primary key (life, id)
) partition by range (id);
create index token_agent on token (agent, life, id);
create index token_scope on token (scope, life, id);

create table ended (                         -- ended before its expiry
  id uuid not null,
  at bigint not null,
  life integer not null,
  agent integer not null,
  cred integer not null,
  key integer not null,
  scope integer not null,
  aud integer not null,
  act integer not null,
  reason smallint not null,
  primary key (id, at)
) partition by range (at);
create index ended_reason on ended (reason, at, id);
create index ended_agent on ended (agent, reason, at, id);
create index ended_scope on ended (scope, at, id);

create table ended_minute (                  -- a minute in which tokens were ended
  minute bigint primary key,                 -- of ended.at, since 1970
  oldest uuid not null,                      -- no token that was ended in it has a smaller id
  newest uuid not null                       -- nor a greater one
);

create table cutoff (
  seq bigint primary key,
  conditions text not null,                  -- JSON of domain/ledger/ledger.ts CutOffConditions
  anchored smallint not null check (anchored in (0, 1)),
  reason smallint not null,
  act integer not null,
  at bigint not null,
  state text not null check (state in ('open', 'closed')),
  fill_life integer not null default 0,
  fill_id uuid not null default '00000000-0000-0000-0000-000000000000',
  revocation_id text,
  moved bigint not null default 0            -- tokens whose rows have followed
);
create index cutoff_open on cutoff (seq) where state = 'open';
create unique index cutoff_revocation on cutoff (revocation_id) where revocation_id is not null;

create table audit (
  n bigint primary key,                      -- 1, 2, 3, …: a gap is a removed entry
  at bigint not null,
  kind text not null,
  actor text not null,
  request_id text,
  subject text,
  note text,
  detail text not null,                      -- JSON
  source text
);
create index audit_at on audit (at);
create index audit_kind on audit (kind, at);
create index audit_actor on audit (actor, at);
create index audit_subject on audit (subject, at) where subject is not null;
create index audit_request on audit (request_id, at) where request_id is not null;
`
