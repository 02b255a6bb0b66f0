// Checks Mintmark's access tokens by the published keys, also while the service is away: then for an hour. A revoked token passes
// until its `exp`.
import type { IncomingMessage } from 'node:http'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'

/** The token of a request; undefined where there is none, or more than one line that could hold it. */
export const bearerOf = ({ headersDistinct }: IncomingMessage): string | undefined => {
  const [line = '', ...others] = headersDistinct['authorization'] ?? []
  return others.length === 0 ? /^bearer +(\S+)$/i.exec(line)?.[1] : undefined
}

/** The token was not checked: respond with 503, not with 401. */
export class KeysUnread extends Error {}

const ANSWER_MS = 2000
const READ_AGAIN_MS = 300_000
const KEPT_MS = 3_600_000

/** Codes of jose for a key set that was not had, or is none. */
const UNREAD = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']

/** The function gives the claims, or throws: an error of jose where the token is refused, else KeysUnread. */
export const makeCheck = (issuer: string, audience: string): ((token: string) => Promise<JWTPayload>) => {
  const url = new URL(`${issuer}/.well-known/jwks.json`)
  const keys = createRemoteJWKSet(url, { cacheMaxAge: KEPT_MS, timeoutDuration: ANSWER_MS })
  // A key that was removed is refused from the next reading on. One that fails changes nothing.
  setInterval(() => void keys.reload().catch(() => undefined), READ_AGAIN_MS).unref()
  // As MINTMARK_SIGNING_ALGORITHM of the service, and what it was before.
  const algorithms = ['ES256', 'RS256']
  const requiredClaims = ['exp', 'sub', 'client_id']
  return async token => {
    try {
      const options = { issuer, audience, typ: 'at+jwt', algorithms, requiredClaims }
      const { payload } = await jwtVerify(token, keys, options)
      if (payload['cnf'] === undefined) return payload
      // Without proof of its key it may be stolen (docs/agents/bound-tokens.md).
      throw new errors.JWTClaimValidationFailed('The token is bound to a key.', payload, 'cnf', 'check_failed')
    } catch (fault) {
      const isOfToken = fault instanceof errors.JOSEError && !UNREAD.includes(fault.code)
      throw isOfToken ? fault : new KeysUnread('The keys of the issuer cannot be read.', { cause: fault })
    }
  }
}
