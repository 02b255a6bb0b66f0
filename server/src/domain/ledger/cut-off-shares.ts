// Shares of the open compound cut-offs: every look-up compares all of them, so their number is limited, and no caller may use all.
import type { Act, Actor } from '../audit/act.ts'

const OF_ONE_API_KEY_MAX = 8
const REVOCATIONS_OF_ONE_MAX = 32
const OF_API_KEYS_MAX = 32
const REVOCATIONS_MAX = 48
const CUT_OFFS_MAX = 64

/** An act whose cut-off is open. */
export type OpenAct = Pick<Act, 'kind' | 'actor'>

type Share = {
  readonly max: number
  /** The acts that count toward this share, and that it can refuse. */
  readonly includes: (act: OpenAct) => boolean
  /** Completes "64 … are still being worked off." */
  readonly of: string
}

const isRevocation = ({ kind }: OpenAct): boolean => kind === 'revocation.create'

const callerOf = (actor: Actor): string =>
  JSON.stringify('iss' in actor ? [actor.type, actor.iss, actor.sub] : [actor.type, 'id' in actor ? actor.id : null])

const ofApiKeys = ({ actor }: OpenAct): boolean => actor.type === 'api_key'

// A change of an agent may use the last of them: it is refused only if all 64 are open.
const sharesOf = (caller: Actor): readonly Share[] => {
  const isTheirs = ({ actor }: OpenAct): boolean => callerOf(actor) === callerOf(caller)
  return [
    { max: OF_ONE_API_KEY_MAX, includes: act => isTheirs(act) && ofApiKeys(act), of: 'acts of this API key' },
    {
      max: REVOCATIONS_OF_ONE_MAX,
      includes: act => isTheirs(act) && isRevocation(act),
      of: 'revocations by this caller',
    },
    { max: OF_API_KEYS_MAX, includes: ofApiKeys, of: 'acts of API keys' },
    { max: REVOCATIONS_MAX, includes: isRevocation, of: 'revocations' },
    { max: CUT_OFFS_MAX, includes: () => true, of: 'revocations and changes of agents' },
  ]
}

/** The share that is full, so that this act's cut-off must be refused; undefined if there is room. */
export const exhaustedShare = (open: readonly OpenAct[], act: OpenAct): Pick<Share, 'max' | 'of'> | undefined =>
  sharesOf(act.actor).find(({ max, includes }) => includes(act) && open.filter(includes).length >= max)
