// In this folder: identity providers and other issuers: their keys, their JWTs, the sign-in of operators. No token chooses an address.
// One GET of a JSON document of an identity provider: bounded in bytes, without redirects, only over https.
import packageJson from '../../../package.json' with { type: 'json' }
import { withoutByteOrderMark } from '../../domain/text/text.ts'
import { isProviderAddress } from '../../../../packages/verify/src/readers/web-address.ts'
import type { ReadingFailure } from '../../ports/key-sets.ts'

/** The largest document, in bytes once it is decoded. */
export const DOCUMENT_BYTES_MAX = 262_144

/**
 * The headers of every request for a document. Firewalls refuse one that names no program (RFC 9110 §10.1.5), and some servers one that does not
 * take the type of a key set (RFC 7517 §8.5.1) or of what they send.
 */
const HEADERS = {
  accept: 'application/jwk-set+json, application/json, */*;q=0.1',
  'accept-encoding': 'gzip, br',
  'user-agent': `mintmark/${packageJson.version}`,
} as const

/** The part of the global `fetch` that is used. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>

/** `status` is set where the server answered with another status than 200. */
export type Fetched = { readonly value: unknown } | { readonly failure: ReadingFailure; readonly status?: number }

/** The causes, by the names of errors of Node, undici and OpenSSL. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/^(?:TimeoutError|AbortError|UND_ERR_(?:HEADERS|BODY)_TIMEOUT)$/, 'it did not answer in time'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'the name of its host does not resolve'],
  [/^ECONNREFUSED$/, 'its host refused the connection'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'its host cannot be reached'],
  [/CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/, 'its TLS certificate is not trusted'],
  [/^(?:EPROTO|ERR_SSL_\w+)$/, 'TLS cannot be agreed on with its host'],
  [/^SyntaxError$/, 'it answered something other than JSON'],
]

const namesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.name, ...('code' in error ? [String(error.code)] : []), ...namesOf(error.cause)] : []

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  // At 407, which a proxy answers, fetch gives no reason.
  return cause instanceof Error ? `${message}: ${cause.message || 'no reason, as at 407'}` : message
}

/** The failure for an error: in full for the log, and a cause for any caller, which names no address and quotes no answer. */
const failureOf = (address: string, error: unknown): ReadingFailure => {
  const names = namesOf(error)
  const [, cause = 'the connection to its host failed'] =
    CAUSES.find(([pattern]) => names.some(name => pattern.test(name))) ?? []
  return { cause, detail: `${address} failed (${messageOf(error)})` }
}

/** The failure for an answer that was read and is not what it should be. */
export const wrongAnswer = (address: string, answered: string): ReadingFailure => ({
  cause: `it answered ${answered}`,
  detail: `${address} answered ${answered}`,
})

/** The body as bytes, or undefined as soon as it exceeds the limit. */
export const readBounded = async (response: Response): Promise<Buffer | undefined> => {
  const stream: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    if (bytes > DOCUMENT_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Never throws: whatever a server or the network does is a failure with its reason, for an operator to read. */
export const fetchJson = async (fetch: Fetch, address: string, signal: AbortSignal): Promise<Fetched> => {
  if (!isProviderAddress(address)) {
    const cause = 'its keys are at an address that is neither https nor http on this machine'
    return { failure: { cause, detail: `${address} is neither https nor http on this machine` } }
  }
  try {
    const response = await fetch(address, { redirect: 'manual', signal, headers: HEADERS })
    if (response.status !== 200) {
      await response.body?.cancel()
      return { failure: wrongAnswer(address, `${response.status}`), status: response.status }
    }
    const body = await readBounded(response)
    if (body === undefined) return { failure: wrongAnswer(address, `more than ${DOCUMENT_BYTES_MAX} bytes`) }
    return { value: JSON.parse(withoutByteOrderMark(body.toString('utf8'))) }
  } catch (error) {
    return { failure: failureOf(address, error) }
  }
}
