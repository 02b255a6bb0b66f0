// How a refusal travels through Fastify where only an Error can: out of its parsers and validators.
import type { Refusal } from '../../domain/refusal.ts'

export class RefusedInput extends Error {
  override readonly name = 'RefusedInput'
  readonly refusal: Refusal
  constructor(description: string, code: 'invalid_request' | 'request_too_large' = 'invalid_request') {
    super(description)
    this.refusal = { code, description }
  }
}
