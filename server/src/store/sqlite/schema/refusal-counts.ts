// The tenth schema: why requests were refused of late.
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
