// The fourth schema: tokens that were got for other tokens, and what agents may get so.
export const LINEAGE = `
alter table agent
  add column grant_types text collate "C" not null default '["client_credentials"]',  -- JSON
  add column acts_for text collate "C" not null default '[]',                         -- JSON
  add column receives text collate "C" not null default '[]';                         -- JSON

create table lineage (             -- what all children of one token share
  n bigint primary key generated always as identity,
  parent uuid not null unique,     -- the id of that token
  ancestors text collate "C" not null,  -- JSON of store/ledger/lineages.ts, the parent first
  used_day integer not null
);
create table lineage_ancestor (ancestor uuid not null, n integer not null, primary key (ancestor, n));

create table cascade (             -- a token that ended, whose descendants have yet to follow
  token uuid primary key,
  act integer not null,
  at bigint not null,
  fill bigint not null default 0   -- the children of lineages up to this number have followed
);
create index cascade_act on cascade (act, token);

alter table token add column lineage integer, add column subject integer;  -- null: the token has no parent
create index token_delegated on token (life, id) where lineage is not null;
create index token_lineage on token (lineage, life, id) where lineage is not null;
create index token_subject on token (subject, life, id) where lineage is not null;

-- ancestor: how many edges up the token stands whose end this is; null: this one.
alter table ended add column lineage integer, add column subject integer, add column ancestor smallint;
create index ended_lineage on ended (lineage, at, id) where lineage is not null;
create index ended_child on ended (lineage, id) where lineage is not null;
create index ended_subject on ended (subject, at, id) where lineage is not null;
`
