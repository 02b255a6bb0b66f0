// The third schema: what agents got and were refused of late.
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
