// What a service lets the own claims of its agents be called, beside URIs.
import { areNamesListed } from '../../../../api/values/own-claims.ts'
import { refuse } from '../refusal.ts'
import type { AgentChange } from './change-agent.ts'

/** Refuses claims of which one is called neither by a URI nor by a listed name: it is not repeated, for it may be a secret in the wrong place. */
export const refuseClaimNames = (
  listed: readonly string[],
  { claims }: Pick<AgentChange, 'claims'>,
): ReturnType<typeof refuse> | undefined => {
  if (claims === undefined || areNamesListed(claims, listed)) return undefined
  const names = listed.length === 0 ? 'none' : listed.join(', ')
  return refuse(
    'invalid_request',
    `claims has a name that is neither a URI nor listed in MINTMARK_CLAIM_NAMES (${names}): list it there, or name the claim by a URI.`,
  )
}
