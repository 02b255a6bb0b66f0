// How a refusal travels through Fastify where only an Error can: out of its parsers and validators.
import type { Refusal, RefusalCode } from '../../domain/refusal.ts'

/** What a part of a request can be refused with before its operation is asked. */
export type InputRefusal = Extract<
  RefusalCode,
  'invalid_request' | 'invalid_scope' | 'invalid_target' | 'request_too_large' | 'header_fields_too_large'
>

export class RefusedInput extends Error {
  override readonly name = 'RefusedInput'
  readonly refusal: Refusal
  constructor(description: string, code: InputRefusal = 'invalid_request') {
    super(description)
    this.refusal = { code, description }
  }
}
