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
