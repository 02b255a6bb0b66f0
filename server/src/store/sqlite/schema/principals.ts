// Tables of trusted issuers and of their subjects, the principals on whose behalf tokens act.

// The twelfth schema: subjects of trusted issuers, on whose behalf tokens act. domain/ledger/token-subject.ts.

export const PRINCIPALS = `
create table trusted_issuer (
  n integer primary key autoincrement,
  alias text not null unique,      -- never given again: the row stays
  iss text not null                -- two may share it
) strict;
create table principal (           -- a subject of an issuer, while tokens are kept that act for it
  n integer primary key autoincrement,
  issuer integer not null,
  sub text not null,
  used_day integer not null,
  unique (issuer, sub)
) strict;
create index principal_used on principal (used_day);

alter table token add column principal integer;    -- on whose behalf; null: an agent's
alter table ended add column principal integer;
alter table lineage add column principal integer;  -- that of all its tokens
create index token_principal on token (principal, life, id) where principal is not null;
create index ended_principal on ended (principal, at, id) where principal is not null;
`

// The thirteenth schema: what is known of a trusted issuer. domain/clients/trusted-issuer.ts.

export const TRUSTED_ISSUERS = `
alter table trusted_issuer add column subject_claim text not null default 'sub';
alter table trusted_issuer add column required text not null default '{}';     -- claims with their values, as JSON
alter table trusted_issuer add column jwks_uri text;                            -- null: from the issuer's metadata
alter table trusted_issuer add column algorithms text not null default '[]';   -- lists, as JSON, from here on
alter table trusted_issuer add column token_types text not null default '[]';
alter table trusted_issuer add column parties text not null default '[]';
alter table trusted_issuer add column scopes text not null default '[]';
alter table trusted_issuer add column resources text not null default '[]';
alter table trusted_issuer add column life integer not null default 60;
alter table trusted_issuer add column created_at integer not null default 0;
alter table trusted_issuer add column disabled_at integer;
alter table trusted_issuer add column deleted_at integer;
`

// The fourteenth schema: what JWTs of trusted issuers are exchanged by. domain/clients/foreign-jwt.ts.

export const JWT_EXCHANGE = `
alter table agent add column issuer_clients text not null default '{}';  -- its client ids at issuers, by alias, as JSON
create table issuer_client (       -- the same by issuer: of each client id, which agent's it is
  issuer integer not null,
  client text not null,
  agent integer not null,
  primary key (issuer, client),
  unique (agent, issuer)
) strict, without rowid;
alter table trusted_issuer add column suspended_at integer;
create index trusted_issuer_kept on trusted_issuer (alias) where deleted_at is null;
`

// The fifteenth schema: subjects who leave.

export const BLOCKED_SUBJECTS = `
alter table trusted_issuer add column ended_seq integer not null default 0;
alter table trusted_issuer add column blocked_count integer not null default 0;
alter table principal add column ended_seq integer not null default 0;
create table blocked_subject (     -- for whom nothing is issued, whether or not there is a principal
  issuer integer not null,
  sub text not null,
  at integer not null,
  actor text not null,             -- as JSON
  note text,
  primary key (issuer, sub)
) strict, without rowid;
`
