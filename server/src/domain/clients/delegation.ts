// Who may act for whom, as the settings of agents say.
import { actsForId, actsForLabels, ANY_AGENT, labelIn, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import type { Agent } from './agent.ts'

/** An agent at the other end of a delegation. `by` is the entry of `acts_for` that allows it. */
export type DelegationPeer = Pick<Agent, 'id' | 'name' | 'owner' | 'disabledAt'> & { readonly by: string }

export type PeerList = {
  readonly peers: readonly DelegationPeer[]
  /** Whether there are more than a list holds, or than were looked at. */
  readonly hasMore: boolean
}

export type Delegation = {
  readonly agent: Agent
  /** Agents whose tokens it may exchange, where such a token is for one of its `receives`. */
  readonly subjects: PeerList
  /** Agents that may exchange its tokens, where such a token is for one of their `receives`. */
  readonly actors: PeerList
}

const mayExchange = ({ grantTypes }: Agent): boolean => grantTypes.includes(TOKEN_EXCHANGE)

/** The entry by which `actor` may exchange tokens that `subject` holds; undefined where none does. Its own tokens need none. */
export const delegationBy = (actor: Agent, subject: Agent): string | undefined => {
  if (!mayExchange(actor) || actor.receives.length === 0 || actor.id === subject.id) return undefined
  if (actor.actsFor.includes(subject.id)) return subject.id
  if (actsForLabels(actor.actsFor, subject.labels)) {
    return actor.actsFor.find(entry => labelIn(entry) !== undefined && actsForLabels([entry], subject.labels))
  }
  return actsForId(actor.actsFor, subject.id) ? ANY_AGENT : undefined
}
