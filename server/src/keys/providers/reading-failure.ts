// Why a document of an identity provider could not be read: in full for the log, and in words that any caller may hear.
import type { ReadingFailure } from '../../ports/key-sets.ts'

/** What Node, undici and OpenSSL call it. */
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
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Of what was thrown while an address was asked. A cause names no address, and quotes nothing of an answer. */
export const failureOf = (address: string, error: unknown): ReadingFailure => {
  const names = namesOf(error)
  const [, cause = 'the connection to its host failed'] =
    CAUSES.find(([pattern]) => names.some(name => pattern.test(name))) ?? []
  return { cause, detail: `${address} failed (${messageOf(error)})` }
}

/** Of an answer that was read and is not what it should be. */
export const wrongAnswer = (address: string, answered: string): ReadingFailure => ({
  cause: `it answered ${answered}`,
  detail: `${address} answered ${answered}`,
})
