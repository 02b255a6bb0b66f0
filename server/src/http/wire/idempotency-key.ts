// Reads Idempotency-Key (draft-ietf-httpapi-idempotency-key-header §2.1): a string of structured fields, or bare.
import type { FastifyRequest } from 'fastify'
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../../../api/values/limits.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'

/** RFC 9651 §3.3.3. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5B\x5D-\x7E]|\\["\\])*)"$/
/** A key without quotes, as many clients send it. Node joins repeated headers with commas, which no key contains. */
const BARE = /^[\x21\x23-\x2B\x2D-\x5B\x5D-\x7E]+$/

const parseKey = (header: string): string | undefined =>
  QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? BARE.exec(header)?.[0]

/** The key; nothing where the header is not there. An empty one is a mistake: its sender believes in a repeat that is safe. */
export const readIdempotencyKey = (request: FastifyRequest): OrRefusal<{ readonly idempotencyKey?: string }> => {
  const header = request.headers['idempotency-key']
  if (header === undefined) return {}
  const idempotencyKey = typeof header === 'string' ? parseKey(header) : undefined
  return idempotencyKey !== undefined &&
    idempotencyKey.length > 0 &&
    idempotencyKey.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX
    ? { idempotencyKey }
    : refuse(
        'invalid_request',
        `Idempotency-Key is not one string of 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable ASCII characters.`,
      )
}
