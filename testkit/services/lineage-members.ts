// The members of a record that describe a token's lineage.

/** Returns the members of a token without a parent. */
export const lineageOfRoot = (id: unknown, agentId: string) => ({
  subject: { agent_id: agentId },
  parent_id: null,
  root_id: id,
  depth: 0,
  actors: [],
})
