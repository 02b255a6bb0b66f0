// What @mintmark/verify answers to a row of the test vectors, in mode `offline`, at the time of the table.
import { makeVerifier } from '../../packages/verify/src/create-verifier.ts'
import type { RefusalCode, Refused } from '../../packages/verify/src/refusals.ts'
import type { Verified, Verifier } from '../../packages/verify/src/verifier.ts'
import { type Runtime, WEB_RUNTIME } from '../../packages/verify/src/wire/runtime.ts'
import type { KeySetVector } from './vector-key-sets.ts'
import type { RequestVector } from './vector-requests.ts'
import type { AskedOf, Dpop, TokenVector } from './vector.ts'

export type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string; readonly alg: string }

/** What all rows have in common. */
export type Setting = {
  readonly issuer: string
  readonly audience: string
  /** Seconds since 1970. */
  readonly now: number
  readonly jwks: { readonly keys: readonly Jwk[] }
}

type Scheme = 'Bearer' | 'DPoP'

export type Answer = {
  readonly refusal: RefusalCode | null
  readonly again?: RefusalCode
  /** The refusals of the calls in `then`. */
  readonly later?: readonly (RefusalCode | null)[]
  readonly challenge_scheme?: Scheme
  readonly claims?: unknown
  readonly granted?: readonly string[]
}

type Options = Parameters<typeof makeVerifier>[0]

/** Throws where the verifier requests anything but the key set. */
const ask = async (
  { issuer, audience, now, jwks }: Setting,
  use: (verifier: Verifier) => Promise<Answer>,
  { body = JSON.stringify(jwks), algorithms }: { readonly body?: string; readonly algorithms?: readonly string[] } = {},
): Promise<Answer> => {
  const runtime: Runtime = { ...WEB_RUNTIME, wallMs: () => now * 1000 }
  const strayed: string[] = []
  const fetch = async (url: string): Promise<Response> => {
    if (url !== `${issuer}/.well-known/jwks.json`) strayed.push(url)
    return new Response(body)
  }
  const accepted = algorithms && { algorithms: algorithms as Options['algorithms'] & {} }
  const verifier = makeVerifier({ issuer, audience, mode: 'offline', fetch, ...accepted }, runtime)
  const answer = await use(verifier)
  verifier.close()
  if (strayed.length > 0) throw new Error(`The verifier requested ${strayed.join(', ')}.`)
  return answer
}

const answerOf = (result: Verified | Refused, usual?: Scheme): Answer => {
  if (result.ok) return { refusal: null, claims: result.claims, granted: result.scopes }
  const scheme = result.challenge?.startsWith('DPoP') ? 'DPoP' : 'Bearer'
  const isUsual = result.challenge === undefined || scheme === usual
  return { refusal: result.refusal, ...(!isUsual && { challenge_scheme: scheme }) }
}

export const fill = (text: string, { filled_to: length = 0 }: { readonly filled_to?: number }): string =>
  text.padEnd(length)

const presentedOf = ({ proof, ...called }: Dpop) => ({ ...called, proof: proof ?? undefined })

const askedOf = (row: AskedOf): Parameters<Verifier['verify']>[1] => {
  const { scopes, dpop, certificate, certificate_der: der } = row
  return {
    ...(scopes && { scopes }),
    ...(dpop && { dpop: presentedOf(dpop) }),
    ...(certificate !== undefined && { certificate: fill(certificate, row) }),
    ...(der !== undefined && { certificate: Buffer.from(der, 'base64') }),
  }
}

/** The answer to a token, to the same call once more, and to the calls that follow. */
export const answerToToken = (setting: Setting, row: TokenVector): Promise<Answer> =>
  ask(
    setting,
    async verifier => {
      const usual = row.dpop === undefined ? 'Bearer' : 'DPoP'
      const call = async () => answerOf(await verifier.verify(row.token ?? undefined, askedOf(row)), usual)
      const [first, second] = [await call(), await call()]
      const later = []
      for (const { token = row.token ?? '', dpop } of row.then ?? [])
        later.push(answerOf(await verifier.verify(token, { dpop: presentedOf(dpop) })).refusal)
      const isOther = second.refusal !== first.refusal
      if (isOther && second.refusal === null) throw new Error(`${row.name}: refused, and then accepted.`)
      return { ...first, ...(isOther && { again: second.refusal ?? undefined }), ...(row.then && { later }) } as Answer
    },
    row,
  )

/** The answer to a request by its headers. */
export const answerToRequest = (
  setting: Setting,
  { authorization, proof, method, url, scopes = [] }: RequestVector,
): Promise<Answer> =>
  ask(setting, async verifier => {
    const headers = { authorization: authorization ?? undefined, proof: proof ?? undefined }
    const {
      claims: _,
      granted: __,
      ...answer
    } = answerOf(await verifier.authorize({ ...headers, method, url, scopes }))
    return answer
  })

/** The answer to a genuine token, where this is the key set. */
export const answerToKeySet = (setting: Setting, token: string, row: KeySetVector): Promise<Answer> =>
  ask(setting, async verifier => ({ refusal: answerOf(await verifier.verify(token)).refusal }), {
    body: fill(row.body, row),
  })
