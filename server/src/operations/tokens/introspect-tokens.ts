// Says whether tokens are active (RFC 7662), for all requests of a group at once. Every answer starts at inactive.
import { isForAny } from '../../../../api/values/audience.ts'
import type { OwnClaims } from '../../../../api/values/own-claims.ts'
import { atPlaces, oneByOne } from '../../domain/one-by-one.ts'
import type { ApiKeyCaller } from '../../domain/caller.ts'
import type { Actor } from '../../../../packages/verify/src/readers/claim-types.ts'
import { actorClaim, audienceClaim } from '../../domain/ledger/claims.ts'
import type { Introspection } from '../../domain/ledger/introspection.ts'
import { subjectClaim } from '../../domain/ledger/token-subject.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { DIGEST_CHARACTERS } from '../../domain/text/text.ts'
import type { FoundToken, Ports } from '../../ports/ports.ts'
import type { Inactive } from '../../ports/usage.ts'
import type { TokenReference } from '../../ports/token-codec.ts'
import {
  authenticateApiKeys,
  type PresentedApiKey,
  type Introspector,
  authorizeIntrospector,
} from '../authentication/authenticate-api-key.ts'

export type IntrospectRequest = Introspector & { readonly token: string }

export type IntrospectPorts = Pick<Ports, 'apiKeys' | 'codec' | 'ledger' | 'profile' | 'secrets' | 'usage'>

const NO_ACT = {}

const INACTIVE: Introspection = { active: false }

const NO_KEY: PresentedApiKey = { key: '', id: null }

type Found = { readonly reference: TokenReference | undefined; readonly token: FoundToken | undefined }

const NOT_READ: Found = { reference: undefined, token: undefined }

const actOf = ({ actors }: FoundToken, { foreignAct }: TokenReference): { readonly act?: Actor } => {
  const act = actorClaim(actors, foreignAct)
  return act === undefined ? NO_ACT : { act }
}

const describe = (token: FoundToken, reference: TokenReference, issuer: string): Introspection => ({
  active: true,
  sub: subjectClaim(token.subject),
  scope: token.scope,
  exp: token.expiresAt,
  client_id: token.clientId,
  iss: issuer,
  aud: audienceClaim(token.audience),
  iat: token.issuedAt,
  jti: token.id,
  // The key of a certificate is proved by the connection: such a token comes as a bearer token (RFC 8705 §3).
  token_type: reference.cnf !== undefined && 'jkt' in reference.cnf ? 'DPoP' : 'Bearer',
  ...actOf(token, reference),
  ...(reference.cnf !== undefined && { cnf: reference.cnf }),
  ...(reference.ownClaims !== undefined && { own: JSON.parse(reference.ownClaims) as OwnClaims }), // as `formatClaims` wrote it
})

type JudgingPorts = Pick<Ports, 'secrets'> & { readonly profile: Pick<Ports['profile'], 'issuer'> }

const NOTHING = { digest: '0'.repeat(DIGEST_CHARACTERS), audience: [] }

/**
 * `audiences` are those that the caller is limited to; null: none. Everything is compared whatever was found: the time does
 * not say why a token is inactive.
 */
const judge = (
  { secrets, profile }: JudgingPorts,
  audiences: ApiKeyCaller['audiences'],
  { reference, token }: Found,
): Introspection => {
  const [presented, known] = [reference ?? NOTHING, token ?? NOTHING]
  // Byte for byte a token that we issued, or it is unknown: no claim was trusted before this line.
  const isExact = secrets.areEqual(presented.digest, known.digest)
  const isForCaller = isForAny(audiences, known.audience)
  if (reference === undefined || token === undefined || token.dead) return INACTIVE
  return isExact && isForCaller ? describe(token, reference, profile.issuer) : INACTIVE
}

type OwnerPorts = JudgingPorts & Pick<Ports, 'ledger'> & { readonly codec: Pick<Ports['codec'], 'read'> }

/** Whether one token is active, for the owner of the store, who needs no API key. */
export const introspectForOwner = async (ports: OwnerPorts, text: string): Promise<Introspection> => {
  const reference = ports.codec.read(text)
  const [token] = await ports.ledger.find([reference])
  return judge(ports, null, { reference, token })
}

const UNKNOWN: Inactive = { kind: 'unknown' }

type Asked = { readonly caller: ApiKeyCaller; readonly text: string; readonly found: Found }

/** What the token is that was answered with inactive: as far as this snapshot shows, for those who read where tokens are used. */
const inactiveOf = (
  { secrets, codec }: Pick<IntrospectPorts, 'secrets' | 'codec'>,
  { caller: { audiences }, text, found: { reference, token } }: Asked,
): Inactive => {
  if (reference === undefined) return UNKNOWN
  if (token === undefined) {
    return { kind: 'unfound', reference, audiences, isSignedBy: key => codec.isSignedBy(text, key) }
  }
  if (!secrets.areEqual(reference.digest, token.digest)) return UNKNOWN
  const { agentId, id: tokenId, expiresAt, dead } = token
  return dead
    ? { kind: 'ended', agentId, tokenId, expiresAt, isOutside: !isForAny(audiences, token.audience) }
    : { kind: 'outside', agentId }
}

type Answered = Asked & { readonly isActive: boolean }

/** Counts after the responses are sent: what is counted depends on why a token is inactive, and the response time must not. */
const countAfterwards = (ports: IntrospectPorts, answered: readonly Answered[]): void => {
  if (answered.length === 0) return
  ports.usage.afterAnswers(() => {
    for (const one of answered) {
      const { caller, found, isActive } = one
      if (isActive && found.token !== undefined) ports.usage.countActive(caller.id, found.token.agentId)
      else ports.usage.countInactive(caller.id, inactiveOf(ports, one))
    }
  })
}

/** Reads what is presented where `wanted` says so, and looks it up, whatever it is. Nothing elsewhere. */
const lookup = async (
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
  wanted: (n: number) => boolean,
): Promise<readonly (Found | undefined)[]> => {
  const asked = requests.filter((_, n) => wanted(n))
  if (asked.length === 0) return []
  const references = asked.map(({ token }) => ports.codec.read(token))
  const tokens = await ports.ledger.find(references)
  const found = references.map((reference, n) => ({ reference, token: tokens[n] }))
  return atPlaces(requests, (_, n) => wanted(n), found)
}

/** The look-ups of a group, in two parts: for those whose keys were found lately, beside their keys, and for the rest once all keys are known. */
const makeLookups = (ports: IntrospectPorts, requests: readonly IntrospectRequest[]) => {
  let isEarly: readonly boolean[] = []
  let early: Promise<readonly (Found | undefined)[]> = Promise.resolve([])
  return {
    /** Begins those of the requests whose keys were found lately. */
    begin: (wereFound: readonly boolean[]): void => {
      isEarly = wereFound
      early = lookup(ports, requests, n => wereFound[n] === true)
      // Where the keys cannot be read, `finish` is not called, and nothing else handles a rejection.
      early.catch(() => undefined)
    },
    /** What was found for each request, in order; nothing for one that may not ask. */
    finish: async (mayAsk: (n: number) => boolean): Promise<readonly Found[]> => {
      const first = await early
      const rest = await lookup(ports, requests, n => isEarly[n] !== true && mayAsk(n))
      return requests.map((_, n) => (isEarly[n] === true ? first : rest)[n] ?? NOT_READ)
    },
  }
}

/**
 * Answers each request of a group, in order, by what `answer` makes of it. Only a caller who may ask costs a look-up, or
 * one whose key was found lately: its token is looked up with its key, so that both are one way to the store.
 */
export const introspectEach = async <Answer extends object>(
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
  answer: (introspection: Introspection, caller: ApiKeyCaller) => Answer,
): Promise<readonly OrRefusal<Answer>[]> => {
  const lookups = makeLookups(ports, requests)
  const apiKeys = await authenticateApiKeys(
    ports,
    requests.map(({ apiKey }) => apiKey ?? NO_KEY),
    lookups.begin,
  )
  const callers = requests.map((request, n) => authorizeIntrospector(request, apiKeys[n], 'Introspection'))
  const mayAsk = (n: number): boolean => callers[n] !== undefined && !isRefused(callers[n])
  const allFound = await lookups.finish(mayAsk)
  const answered: Answered[] = []
  const answers = callers.map((caller, n) => {
    if (isRefused(caller)) return caller
    const found = allFound[n] ?? NOT_READ
    const introspection = judge(ports, caller.audiences, found)
    answered.push({ caller, text: requests[n]?.token ?? '', found, isActive: introspection.active })
    return answer(introspection, caller)
  })
  countAfterwards(ports, answered)
  return answers
}

/** Answers each request of a group, in order. An Error is the fault of that request alone. */
export const introspectTokens = (
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
): Promise<readonly (OrRefusal<Introspection> | Error)[]> =>
  oneByOne(requests, some => introspectEach(ports, some, introspection => introspection))
