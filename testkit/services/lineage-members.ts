// The members of a record that describe a token's lineage.

/** Of a token without a parent. */
export const lineageOfRoot = (id: unknown, agentId: string) => ({
  subject: { agent_id: agentId },
  parent_id: null,
  root_id: id,
  depth: 0,
  actors: [],
})
