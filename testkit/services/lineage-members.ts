// The members of a record that describe a token's lineage, and its agents to a caller who may not read those.

/** Returns the members of a token without a parent. */
export const lineageOfRoot = (id: unknown, agentId: string) => ({
  subject: { agent_id: agentId, agent_name: null },
  parent_id: null,
  root_id: id,
  depth: 0,
  actors: [],
  actor_names: [],
  agent_name: null,
  owner: null,
})
