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
