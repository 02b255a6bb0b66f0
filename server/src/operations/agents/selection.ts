// Agents that a request selects by their owner, their labels or their name.
import { ACCESS } from '../../../../api/values/access.ts'
import { AGENTS_SELECTED_MAX } from '../../../../api/values/lists.ts'
import { type Administrator, audiencesOf, may } from '../../domain/caller.ts'
import { refuse } from '../../domain/refusal.ts'

/**
 * Owners, labels and names are of the whole service: a key limited to audiences would learn by answers and counts which there
 * are, unless it may read agents anyway.
 */
export const mayKnowSelection = (caller: Administrator): boolean =>
  audiencesOf(caller) === null || may(caller, ACCESS.readAgents)

/** `members` of the request select agents. */
export const refuseSelection = (members: string) =>
  refuse(
    'insufficient_scope',
    `${members}: this API key is limited to audiences and lacks the permission ${ACCESS.readAgents.permission}.`,
  )

export const describeTooMany = (members: string): string =>
  `${members}: more than ${AGENTS_SELECTED_MAX} agents match: name labels that fewer have.`
