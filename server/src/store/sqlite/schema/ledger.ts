// The first schema: agents, keys, the ledger and its lists. Ids of tokens are 16 bytes, times are ms.

export const LEDGER = `
create table service (
  one integer primary key check (one = 1),
  made_by text not null check (made_by in ('dev', 'migrate')),
  seq integer not null,            -- grows with every change that can refuse or end something
  ended_seq integer not null,      -- every token with a smaller number is dead
  last_end_seq integer not null,   -- no act ended many tokens after this number
  clock_lease integer not null,    -- no answer uses a time beyond it
  last_at integer not null         -- the time of the last act; no later one uses a smaller
) strict;

create table lifetime (life integer primary key) strict;

create table agent (
  n integer primary key autoincrement,
  id text not null unique,
  client_id text not null unique,
  name text not null unique,
  created_at integer not null,
  disabled_at integer,
  scopes text not null,
  default_scope text,
  resources text not null,
  default_audience text,
  life integer,
  ended_seq integer not null default 0
) strict;

create table credential (
  n integer primary key autoincrement,
  agent integer not null references agent,
  id text not null unique,
  secret_hash blob not null,
  created_at integer not null,
  ended_seq integer not null default 0
) strict;
create index credential_agent on credential (agent);

create table api_key (
  n integer primary key autoincrement,
  id text not null unique,
  name text not null,
  key_hash blob not null unique,
  permissions text not null,
  audiences text,
  created_at integer not null,
  revoked_at integer
) strict;

create table signing_key (
  n integer primary key autoincrement,
  kid text not null unique,
  public_jwk text not null,
  sealed_private_key blob not null,
  key_encryption_key_id text not null,
  created_at integer not null,
  ended_seq integer not null default 0
) strict;

create table scope_set (
  n integer primary key autoincrement, text text not null unique, used_day integer not null
) strict;
create table scope_set_item (item text not null, n integer not null, primary key (item, n)) without rowid, strict;
create table audience_set (
  n integer primary key autoincrement, members text not null unique, used_day integer not null
) strict;

create table act (
  n integer primary key autoincrement,
  kind text not null,
  actor text not null,             -- JSON of domain/audit/act.ts Actor
  note text,
  at integer not null
) strict;
create index act_at on act (at);

create table token (               -- not ended early
  life integer not null,
  id blob not null,
  digest blob not null,
  agent integer not null,
  cred integer not null,
  key integer not null,
  scope integer not null,
  aud integer not null,
  seq integer not null,
  primary key (life, id)
) without rowid, strict;
create index token_agent on token (agent, life, id);
create index token_scope on token (scope, life, id);

create table ended (               -- ended before its expiry
  id blob primary key,
  life integer not null,
  agent integer not null,
  cred integer not null,
  key integer not null,
  scope integer not null,
  aud integer not null,
  at integer not null,
  reason integer not null,
  act integer not null
) without rowid, strict;
create index ended_reason on ended (reason, at, id);
create index ended_agent on ended (agent, reason, at, id);
create index ended_scope on ended (scope, at, id);

create table cutoff (
  seq integer primary key,
  conditions text not null,        -- JSON of domain/ledger/ledger.ts CutOffConditions
  anchored integer not null check (anchored in (0, 1)),
  reason integer not null,
  act integer not null,
  at integer not null,
  state text not null check (state in ('open', 'closed')),
  fill_life integer not null default 0,
  fill_id blob not null default x'00000000000000000000000000000000'
) strict;
create index cutoff_open on cutoff (seq) where state = 'open';

create table audit (
  n integer primary key autoincrement,
  at integer not null,
  kind text not null,
  actor text not null,
  request_id text,
  subject text,
  note text,
  detail text not null             -- JSON
) strict;
`
