// The schemas of usage, the third, the seventh and the ninth: what agents got and were refused of late, where their tokens are used.
export const AGENT_USAGE = `
create table agent_usage (                   -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,                  -- the length of the slot
  slot bigint not null,                      -- the ms at which it begins
  agent integer not null,
  issued bigint not null,
  refused bigint not null,                   -- token requests of the agent, once it was authenticated
  last_at bigint not null,                   -- the ms at which it got its last token in the slot; 0: it got none
  primary key (slot_ms, slot, agent)
) with (fillfactor = 50);
`

/** Where tokens are used, and which were after their end. docs/development/embedded-store.md. */
export const TOKEN_USES = `
create table token_use (           -- introspections and reported uses, for 30 days
  n bigint primary key generated always as identity,
  at bigint not null,              -- the minute, as the ms at which it begins
  agent integer not null,          -- of the tokens; 0: of none that is known
  api_key integer not null,        -- 0: all beyond the pairs of a minute
  outside smallint not null check (outside in (0, 1)),  -- 1: of other audiences than the key may see
  active bigint not null,          -- introspections that were answered with active
  inactive bigint not null,
  after_end bigint not null,       -- of these, of tokens that had ended
  uses bigint not null,            -- that followers of the revocation feed report
  first_at bigint not null,
  last_at bigint not null,
  unique (at, agent, api_key, outside)
) with (fillfactor = 50);
create index token_use_at on token_use (at);
create index token_use_agent on token_use (agent, at);
create index token_use_key on token_use (api_key, at);

create table late_use (            -- of a token after its end, for 30 days after the last
  n bigint primary key generated always as identity,
  at bigint not null,              -- the last
  first_at bigint not null,
  token uuid not null,
  agent integer not null,
  api_key integer not null,
  outside smallint not null check (outside in (0, 1)),
  expired smallint not null check (expired in (0, 1)),  -- 1: it had only expired
  count bigint not null,
  minute bigint not null,          -- in which the row was written first
  unique (token, api_key)
);
create index late_use_at on late_use (at);
create index late_use_agent on late_use (agent, at);
create index late_use_key on late_use (api_key, at);
create index late_use_token on late_use (token, at);
create index late_use_minute on late_use (minute, expired);

alter table verifier add column counted_uses text collate "C";  -- JSON: its uses as far as they are in token_use; null: none are
`

/** Why requests were refused of late. */
export const REFUSAL_COUNTS = `
create table refusal_count (                 -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,                  -- the length of the slot
  slot bigint not null,                      -- the ms at which it begins
  agent integer not null,                    -- 0: none, or beyond the rows of a slot
  reason text collate "C" not null,          -- domain/refusal-reasons.ts
  count bigint not null,
  last_at bigint not null,                   -- the ms at which it was written last
  primary key (slot_ms, slot, agent, reason)
) with (fillfactor = 50);
`
