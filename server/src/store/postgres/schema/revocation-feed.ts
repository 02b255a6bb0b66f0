// The fifth schema: the revocation feed. domain/ledger/cut-off-fact.ts and docs/apis/feed-protocol.md.
export const REVOCATION_FEED = `
alter table service
  add column feed_position bigint not null default 0,
  add column feed_epoch text collate "C" not null default '';  -- '': the feed is not open yet

create table fact (                -- what ended, until no token that it concerns could be live
  n bigint primary key generated always as identity,
  position bigint not null,
  until bigint not null,           -- the second of the last expiry that it concerns
  tails bytea,                     -- single ends: the last 8 bytes of each id, all of one expiry
  cutoff text collate "C"          -- or a cut-off, JSON of domain/ledger/cut-off-fact.ts
);
create index fact_position on fact (position, n);
create index fact_until on fact (until);

create table verifier (            -- where a follower says that it is; docs/revocation-feed.md
  api_key text collate "C" not null,  -- the id of the key with which it reports
  name text collate "C" not null,
  address text collate "C" not null,
  epoch text collate "C" not null,
  position bigint not null,
  reported_at bigint not null,
  first_at bigint not null,
  uses text collate "C",           -- JSON: uses of tokens by agent; null: it never said
  primary key (api_key, name)
);
create index verifier_reported on verifier (reported_at);
create index verifier_of_key on verifier (api_key, reported_at);

alter table cutoff add column position bigint;  -- of its fact; null: it is of before the feed
`
