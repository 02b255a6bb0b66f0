// The sixth schema: the revocation feed. domain/ledger/cut-off-fact.ts and docs/revocation-feed.md.
export const REVOCATION_FEED = `
alter table service add column feed_position integer not null default 0;
alter table service add column feed_epoch text not null default '';  -- '': the feed is not open yet

create table fact (                -- what ended, until no token that it concerns could be live
  n integer primary key autoincrement,
  position integer not null,
  until integer not null,          -- the second of the last expiry that it concerns
  tails blob,                      -- single ends: the last 8 bytes of each id, all of one expiry
  cutoff text                      -- or a cut-off, JSON of domain/ledger/cut-off-fact.ts
) strict;
create index fact_position on fact (position, n);
create index fact_until on fact (until);

create table verifier (            -- where a follower says that it is; docs/revocation-feed.md
  api_key text not null,           -- the id of the key with which it reports
  name text not null,
  address text not null,
  epoch text not null,
  position integer not null,
  reported_at integer not null,
  first_at integer not null,
  uses text,                       -- JSON: uses of tokens by agent; null: it never said
  primary key (api_key, name)
) without rowid, strict;
create index verifier_reported on verifier (reported_at);
create index verifier_of_key on verifier (api_key, reported_at);

alter table cutoff add column position integer;  -- of its fact; null: it is of before the feed
`
