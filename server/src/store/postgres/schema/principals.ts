// Tables of trusted issuers and of their subjects, the principals on whose behalf tokens act.

// The twelfth schema: subjects of trusted issuers, on whose behalf tokens act. domain/ledger/token-subject.ts.

export const PRINCIPALS = `
create table trusted_issuer (
  n bigint primary key generated always as identity,
  alias text collate "C" not null unique,  -- never given again: the row stays
  iss text collate "C" not null    -- two may share it
);
create table principal (           -- a subject of an issuer, while tokens are kept that act for it
  n bigint primary key generated always as identity,
  issuer integer not null,
  sub text collate "C" not null,
  used_day integer not null,
  unique (issuer, sub)
);
create index principal_used on principal (used_day);

-- On whose behalf; null: an agent's. All tokens of a lineage have one.
alter table token add column principal integer;
alter table ended add column principal integer;
alter table lineage add column principal integer;
create index token_principal on token (principal, life, id) where principal is not null;
create index ended_principal on ended (principal, at, id) where principal is not null;
`

// The thirteenth schema: what is known of a trusted issuer. domain/clients/trusted-issuer.ts.

export const TRUSTED_ISSUERS = `
alter table trusted_issuer
  add column subject_claim text collate "C" not null default 'sub',
  add column required text collate "C" not null default '{}',    -- claims with their values, as JSON
  add column jwks_uri text collate "C",                          -- null: from the issuer's metadata
  add column algorithms text collate "C" not null default '[]',  -- lists, as JSON, from here on
  add column token_types text collate "C" not null default '[]',
  add column parties text collate "C" not null default '[]',
  add column scopes text collate "C" not null default '[]',
  add column resources text collate "C" not null default '[]',
  add column life integer not null default 60,
  add column created_at bigint not null default 0,
  add column disabled_at bigint,
  add column deleted_at bigint;
`

// The fourteenth schema: what JWTs of trusted issuers are exchanged by. domain/clients/foreign-jwt.ts.

export const JWT_EXCHANGE = `
alter table agent
  add column issuer_clients text collate "C" not null default '{}';  -- its client ids at issuers, by alias, as JSON
create table issuer_client (       -- the same by issuer: of each client id, which agent's it is
  issuer integer not null,
  client text collate "C" not null,
  agent integer not null,
  primary key (issuer, client),
  unique (agent, issuer)
);
alter table trusted_issuer add column suspended_at bigint;
create index trusted_issuer_kept on trusted_issuer (alias) where deleted_at is null;
`

// The fifteenth schema: subjects who leave.

export const BLOCKED_SUBJECTS = `
alter table trusted_issuer add column ended_seq bigint not null default 0;
alter table trusted_issuer add column blocked_count integer not null default 0;
alter table principal add column ended_seq bigint not null default 0;
create table blocked_subject (     -- for whom nothing is issued, whether or not there is a principal
  issuer integer not null,
  sub text collate "C" not null,
  at bigint not null,
  actor text collate "C" not null, -- as JSON
  note text collate "C",
  primary key (issuer, sub)
);
`
