// The fifth schema: tokens that were got for other tokens, and what agents may get so.
export const LINEAGE = `
alter table agent add column grant_types text not null default '["client_credentials"]';  -- JSON
alter table agent add column acts_for text not null default '[]';                         -- JSON
alter table agent add column receives text not null default '[]';                         -- JSON

create table lineage (             -- what all children of one token share
  n integer primary key autoincrement,
  parent blob not null unique,     -- the id of that token
  ancestors text not null,         -- JSON of store/ledger/lineages.ts, the parent first
  used_day integer not null
) strict;
create table lineage_ancestor (ancestor blob not null, n integer not null, primary key (ancestor, n)) without rowid, strict;

create table cascade (             -- a token that ended, whose descendants have yet to follow
  token blob primary key,
  act integer not null,
  at integer not null,
  fill integer not null default 0  -- the children of lineages up to this number have followed
) without rowid, strict;
create index cascade_act on cascade (act, token);

alter table token add column lineage integer;   -- null: the token has no parent
alter table token add column subject integer;   -- the agent of its root; null where it has no parent
create index token_delegated on token (life, id) where lineage is not null;
create index token_lineage on token (lineage, life, id) where lineage is not null;
create index token_subject on token (subject, life, id) where lineage is not null;

alter table ended add column lineage integer;
alter table ended add column subject integer;
alter table ended add column ancestor integer;  -- how many edges up the token stands whose end this is; null: this one
create index ended_lineage on ended (lineage, at, id) where lineage is not null;
create index ended_child on ended (lineage, id) where lineage is not null;
create index ended_subject on ended (subject, at, id) where lineage is not null;
`
