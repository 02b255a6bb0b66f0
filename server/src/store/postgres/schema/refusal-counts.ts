// The ninth schema: why requests were refused of late.
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
