// The schemas of usage, the fourth, the eighth and the tenth: what agents got and were refused of late, where their tokens are used.
export const AGENT_USAGE = `
create table agent_usage (         -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,        -- the length of the slot
  slot integer not null,           -- the ms at which it begins
  agent integer not null,
  issued integer not null,
  refused integer not null,        -- token requests of the agent, once it was authenticated
  last_at integer not null,        -- the ms at which it got its last token in the slot; 0: it got none
  primary key (slot_ms, slot, agent)
) strict, without rowid;
`

/** Where tokens are used, and which were after their end. docs/storage.md. */
export const TOKEN_USES = `
create table token_use (           -- introspections and reported uses, for 30 days
  n integer primary key autoincrement,
  at integer not null,             -- the minute, as the ms at which it begins
  agent integer not null,          -- of the tokens; 0: of none that is known
  api_key integer not null,        -- 0: all beyond the pairs of a minute
  outside integer not null check (outside in (0, 1)),  -- 1: of other audiences than the key may see
  active integer not null,         -- introspections that were answered with active
  inactive integer not null,
  after_end integer not null,      -- of these, of tokens that had ended
  uses integer not null,           -- that followers of the revocation feed report
  first_at integer not null,
  last_at integer not null,
  unique (at, agent, api_key, outside)
) strict;
create index token_use_at on token_use (at);
create index token_use_agent on token_use (agent, at);
create index token_use_key on token_use (api_key, at);

create table late_use (            -- of a token after its end, for 30 days after the last
  n integer primary key autoincrement,
  at integer not null,             -- the last
  first_at integer not null,
  token blob not null,
  agent integer not null,
  api_key integer not null,
  outside integer not null check (outside in (0, 1)),
  expired integer not null check (expired in (0, 1)),  -- 1: it had only expired
  count integer not null,
  minute integer not null,         -- in which the row was written first
  unique (token, api_key)
) strict;
create index late_use_at on late_use (at);
create index late_use_agent on late_use (agent, at);
create index late_use_key on late_use (api_key, at);
create index late_use_token on late_use (token, at);
create index late_use_minute on late_use (minute, expired);

alter table verifier add column counted_uses text;  -- JSON: its uses as far as they are in token_use; null: none are
`

/** Why requests were refused of late. */
export const REFUSAL_COUNTS = `
create table refusal_count (       -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,        -- the length of the slot
  slot integer not null,           -- the ms at which it begins
  agent integer not null,          -- 0: none, or beyond the rows of a slot
  reason text not null,            -- domain/refusal-reasons.ts
  count integer not null,
  last_at integer not null,        -- the ms at which it was written last
  primary key (slot_ms, slot, agent, reason)
) strict, without rowid;
`
