// Shares of the open compound cut-offs: every look-up compares them all, so they are few, and no caller may hold them all.
import type { Act, Actor } from '../audit/act.ts'

/** An act whose cut-off is open. */
export type OpenAct = Pick<Act, 'kind' | 'actor'>

type Share = {
  readonly max: number
  /** What counts in this share, and the only acts that it holds up. */
  readonly includes: (act: OpenAct) => boolean
  /** Completes "64 … are still being worked off." */
  readonly of: string
}

const isRevocation = ({ kind }: OpenAct): boolean => kind === 'revocation.create'

const callerOf = (actor: Actor): string =>
  JSON.stringify('iss' in actor ? [actor.type, actor.iss, actor.sub] : [actor.type, 'id' in actor ? actor.id : null])

const ofApiKeys = ({ actor }: OpenAct): boolean => actor.type === 'api_key'

// An operator who narrows an agent may take the last of them: that is refused only where all 64 are open.
const sharesOf = (caller: Actor): readonly Share[] => {
  const isTheirs = ({ actor }: OpenAct): boolean => callerOf(actor) === callerOf(caller)
  return [
    { max: 8, includes: act => isTheirs(act) && ofApiKeys(act), of: 'acts of this API key' },
    { max: 32, includes: act => isTheirs(act) && isRevocation(act), of: 'revocations by this caller' },
    { max: 32, includes: ofApiKeys, of: 'acts of API keys' },
    { max: 48, includes: isRevocation, of: 'revocations' },
    { max: 64, includes: () => true, of: 'revocations and changes of agents' },
  ]
}

/** The share that leaves no room for one more cut-off, beside those that are open; undefined where there is room. */
export const exhaustedShare = (open: readonly OpenAct[], act: OpenAct): Pick<Share, 'max' | 'of'> | undefined =>
  sharesOf(act.actor).find(({ max, includes }) => includes(act) && open.filter(includes).length >= max)
