// What a Patroni node says of itself and of its cluster, asked past all links.

export type NodeState = {
  readonly state: string
  readonly role: string
  readonly timeline: number
  /** Names and sync_states of the standbys that stream from it. */
  readonly replication: readonly { readonly application_name: string; readonly sync_state: string }[]
}

type MemberState = { readonly name: string; readonly role: string }

const ANSWER_MS_MAX = 2000

const ask = async (port: number, path: string): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  return answer.json()
}

const SILENT: NodeState = { state: 'silent', role: 'unknown', timeline: 0, replication: [] }

/** Its `state` is `silent` where it does not answer. */
export const nodeState = async (port: number): Promise<NodeState> => {
  try {
    const reported = (await ask(port, '/patroni')) as Partial<NodeState>
    const { state = 'unknown', role = 'unknown', timeline = 0, replication = [] } = reported
    return { state, role, timeline, replication }
  } catch {
    // Killed, stopped or still starting.
    return SILENT
  }
}

/** The cluster as the node sees it in etcd; empty where it does not answer. */
export const clusterState = async (port: number): Promise<readonly MemberState[]> => {
  try {
    const { members = [] } = (await ask(port, '/cluster')) as { members?: readonly MemberState[] }
    return members
  } catch {
    return []
  }
}

/** Hands the primary's part to another node; gives what Patroni said of it. */
export const switchOver = async (port: number, leader: string, candidate: string): Promise<string> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/switchover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ leader, candidate }),
      signal: AbortSignal.timeout(30_000),
    })
    return `${answer.status} ${(await answer.text()).trim()}`
  } catch (fault) {
    return String(fault)
  }
}
