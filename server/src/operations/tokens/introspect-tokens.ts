// Says whether tokens are active (RFC 7662), for all requests of a group at once. Every answer starts at inactive.
import type { ApiKeyCaller } from '../../domain/caller.ts'
import { type ActorClaim, actorClaim, audienceClaim, type Confirmation } from '../../domain/ledger/claims.ts'
import type { Introspection } from '../../domain/ledger/introspection.ts'
import { oneByOne } from '../../domain/one-by-one.ts'
import { counted, isRefused, type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { FoundToken, Ports } from '../../ports/ports.ts'
import type { TokenReference } from '../../ports/token-codec.ts'
import { authenticateApiKeys, type PresentedApiKey } from '../authentication/authenticate-api-key.ts'

export type IntrospectRequest = {
  /** Undefined where the request presents none. */
  readonly apiKey: PresentedApiKey | undefined
  readonly token: string
  /** Told who asks, once they are recognized. */
  readonly onCaller?: ((caller: ApiKeyCaller) => void) | undefined
}

export type IntrospectPorts = Pick<Ports, 'apiKeys' | 'codec' | 'ledger' | 'profile' | 'secrets'>

const NO_ACT = {}

const INACTIVE: Introspection = { active: false }

const NO_KEY: PresentedApiKey = { key: '', id: null }

/** The caller, where he may ask. */
const permit = (request: IntrospectRequest, caller: ApiKeyCaller | undefined): OrRefusal<ApiKeyCaller> => {
  if (caller === undefined) {
    const presentedByBasic = request.apiKey !== undefined && request.apiKey.id !== null
    const description = 'Introspection needs an API key: send a live one in X-API-Key.'
    const refused = refuseCaller('invalid_client', description, presentedByBasic ? 'Basic' : 'ApiKey')
    return request.apiKey === undefined ? refused : counted(refused, { way: 'api_key', clientId: null })
  }
  request.onCaller?.(caller)
  return caller.permissions.includes('tokens:introspect')
    ? caller
    : refuse('insufficient_scope', 'This API key lacks the permission tokens:introspect.')
}

type Found = { readonly reference: TokenReference | undefined; readonly token: FoundToken | undefined }

const isFor = (audiences: ApiKeyCaller['audiences'], token: FoundToken): boolean =>
  audiences === null || token.audience.some(audience => audiences.includes(audience))

const actOf = ({ actors }: FoundToken): { readonly act?: ActorClaim } => {
  const act = actorClaim(actors)
  return act === undefined ? NO_ACT : { act }
}

const describe = (token: FoundToken, cnf: Confirmation | undefined, issuer: string): Introspection => ({
  active: true,
  sub: token.subjectId,
  scope: token.scope,
  exp: token.expiresAt,
  client_id: token.clientId,
  iss: issuer,
  aud: audienceClaim(token.audience),
  iat: token.issuedAt,
  jti: token.id,
  // Who holds the key of a certificate shows so by the connection: such a token comes as a bearer token (RFC 8705 §3).
  token_type: cnf !== undefined && 'jkt' in cnf ? 'DPoP' : 'Bearer',
  ...actOf(token),
  ...(cnf !== undefined && { cnf }),
})

const findAll = async (
  ports: IntrospectPorts,
  references: readonly (TokenReference | undefined)[],
): Promise<(FoundToken | undefined)[]> => {
  const asked = references.filter(reference => reference !== undefined)
  if (asked.length === 0) return []
  const found = await ports.ledger.find(asked)
  let next = 0
  return references.map(reference => (reference === undefined ? undefined : found[next++]))
}

type JudgingPorts = Pick<Ports, 'secrets'> & { readonly profile: Pick<Ports['profile'], 'issuer'> }

/** `audiences` are those that the caller is limited to; null: none. */
const judge = (
  { secrets, profile }: JudgingPorts,
  audiences: ApiKeyCaller['audiences'],
  { reference, token }: Found,
): Introspection => {
  if (reference === undefined || token === undefined || token.dead) return INACTIVE
  // Byte for byte a token that we issued, or it is unknown: no claim was trusted before this line.
  if (!secrets.areEqual(reference.digest, token.digest)) return INACTIVE
  return isFor(audiences, token) ? describe(token, reference.cnf, profile.issuer) : INACTIVE
}

type OwnerPorts = JudgingPorts & Pick<Ports, 'ledger'> & { readonly codec: Pick<Ports['codec'], 'read'> }

/** Whether one token is active, for the owner of the store, who needs no API key. */
export const introspectForOwner = async (ports: OwnerPorts, text: string): Promise<Introspection> => {
  const reference = ports.codec.read(text)
  const [token] = reference === undefined ? [] : await ports.ledger.find([reference])
  return judge(ports, null, { reference, token })
}

type References = readonly (TokenReference | undefined)[]

/** Reads what is presented where `wanted` says so, and looks it up. */
const lookup = async (
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
  wanted: (n: number) => boolean,
): Promise<readonly Found[]> => {
  const references: References = requests.map(({ token }, n) => (wanted(n) ? ports.codec.read(token) : undefined))
  const tokens = await findAll(ports, references)
  return references.map((reference, n) => ({ reference, token: tokens[n] }))
}

/**
 * Answers each request of a group, in order, by what `answer` makes of it. Only a caller who may ask costs a look-up, or
 * one whose key was found lately: his token is looked up with his key, so that both are one way to the store.
 */
export const introspectEach = async <Answer extends object>(
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
  answer: (introspection: Introspection, caller: ApiKeyCaller) => Answer,
): Promise<readonly OrRefusal<Answer>[]> => {
  let likely: readonly boolean[] = []
  let early: Promise<readonly Found[]> = Promise.resolve([])
  const found = await authenticateApiKeys(
    ports,
    requests.map(({ apiKey }) => apiKey ?? NO_KEY),
    wereFound => {
      likely = wereFound
      early = lookup(ports, requests, n => wereFound[n] === true)
      // Where the keys cannot be had nobody waits for it.
      early.catch(() => undefined)
    },
  )
  const callers = requests.map((request, n) => permit(request, found[n]))
  const mayAsk = (n: number): boolean => callers[n] !== undefined && !isRefused(callers[n])
  const first = await early
  const rest = await lookup(ports, requests, n => likely[n] !== true && mayAsk(n))
  return callers.map((caller, n) => {
    if (isRefused(caller)) return caller
    const one = (likely[n] === true ? first : rest)[n]
    return answer(one === undefined ? INACTIVE : judge(ports, caller.audiences, one), caller)
  })
}

/** Answers each request of a group, in order. An Error is the fault of that request alone. */
export const introspectTokens = (
  ports: IntrospectPorts,
  requests: readonly IntrospectRequest[],
): Promise<readonly (OrRefusal<Introspection> | Error)[]> =>
  oneByOne(requests, some => introspectEach(ports, some, introspection => introspection))
