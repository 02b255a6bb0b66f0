// Decides on one check: what the gateway passes on of the original request, against what the flags and the query ask for.
import type { IncomingMessage } from 'node:http'
import type { Certificate } from '../../verify/src/proofs/certificate.ts'
import { PROOF_ALGORITHMS } from '../../verify/src/readers/proof-claims.ts'
import { type RefusalCode, type Refused, refuse } from '../../verify/src/refusals.ts'
import { audiencesOf } from '../../verify/src/tokens/claims.ts'
import type { Verified, Verifier } from '../../verify/src/verifier.ts'
import { parseCertificateHeader } from '../../verify/src/readers/certificate-header.ts'
import { type CheckQuery, NO_QUERY, parseCheckQuery } from './check-query.ts'
import type { GatewayConfig } from './config.ts'
import { ORIGINAL_HEADERS, type OriginalRequest, parseOriginalRequest } from './original-request.ts'
import { makeFindRepeated } from '../../verify/src/readers/form.ts'

export const CHECK_PATH = '/check'

/** What was asked of this process, after its path was looked at. */
export type CheckTarget = {
  /** What follows `/check` in the path: empty, or with a slash. */
  readonly below: string
  /** What follows the question mark; empty where there is none. */
  readonly query: string
}

/** `bad_query`: the gateway's configuration is wrong, so nobody's token is at fault. */
export type Decision = Verified | Refused | 'bad_query'

export type Check = (request: IncomingMessage, target: CheckTarget) => Promise<Decision>

type Parts = { readonly config: GatewayConfig; readonly verifier: Verifier }

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

const originalOf = (
  { requestFrom }: GatewayConfig,
  request: IncomingMessage,
  { below }: CheckTarget,
): OriginalRequest | undefined => {
  if (requestFrom === undefined) return undefined
  if (requestFrom === 'path') return parseOriginalRequest(request.method ?? '', below)
  const { method, target } = ORIGINAL_HEADERS[requestFrom]
  return parseOriginalRequest(headerOf(request, method) ?? '', headerOf(request, target) ?? '')
}

/** The request as its caller wrote it. No proof is of the empty URL, so none passes without an origin or an original request. */
const addressed = (config: GatewayConfig, request: IncomingMessage, target: CheckTarget) => {
  const original = config.origin === undefined ? undefined : originalOf(config, request, target)
  return original === undefined
    ? { method: '', url: '' }
    : { method: original.method, url: `${config.origin}${original.path}` }
}

const certificateOf = ({ certificate }: GatewayConfig, request: IncomingMessage): Certificate | undefined => {
  if (certificate === undefined) return undefined
  const value = headerOf(request, certificate.name)
  if (value === undefined || !certificate.isTrusted(request.socket.remoteAddress)) return undefined
  const found = parseCertificateHeader(certificate.form, value)
  if (found === undefined) return undefined
  return 'pem' in found ? found.pem : Buffer.from(found.base64, 'base64')
}

const refuseHere = (verifier: Verifier, code: RefusalCode, reason: string, scopes: readonly string[]): Refused =>
  refuse(code, reason, {
    resourceMetadata: verifier.resource.metadataAddress,
    scopes,
    scheme: 'Bearer',
    proofAlgorithms: PROOF_ALGORITHMS.join(' '),
  })

const queryOf = ({ requestFrom, audiences }: GatewayConfig, target: CheckTarget): CheckQuery | undefined => {
  // Where the original target follows /check, the query behind it is the caller's.
  if (requestFrom === 'path' && target.below !== '') return NO_QUERY
  const query = parseCheckQuery(target.query)
  const isNarrower = query?.audience === undefined || audiences.includes(query.audience)
  return isNarrower ? query : undefined
}

/** Headers that are refused when they come twice: one of the lines may be from somebody else, and readers differ in which they take. */
const singleHeaders = ({ certificate, requestFrom }: GatewayConfig): readonly string[] => [
  'authorization',
  'dpop',
  ...(certificate === undefined ? [] : [certificate.name]),
  ...(requestFrom === undefined || requestFrom === 'path' ? [] : Object.values(ORIGINAL_HEADERS[requestFrom])),
]

export const makeCheck = ({ config, verifier }: Parts): Check => {
  const findRepeated = makeFindRepeated(singleHeaders(config))
  return async (request, target) => {
    const query = queryOf(config, target)
    if (query === undefined) return 'bad_query'
    const scopes = query.scopes.length === 0 ? config.scopes : [...new Set([...config.scopes, ...query.scopes])]
    const repeated = findRepeated(request)
    if (repeated !== undefined) {
      return refuseHere(verifier, 'invalid_request', `The header ${repeated} is given more than once.`, scopes)
    }
    const result = await verifier.authorize({
      authorization: headerOf(request, 'authorization'),
      proof: headerOf(request, 'dpop'),
      ...addressed(config, request, target),
      certificate: certificateOf(config, request),
      scopes,
    })
    if (!result.ok || query.audience === undefined || audiencesOf(result.claims).includes(query.audience)) return result
    return refuseHere(verifier, 'wrong_audience', 'The token is for another audience than the query asks for.', scopes)
  }
}
