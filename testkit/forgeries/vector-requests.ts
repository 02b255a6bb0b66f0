// Test vectors of requests by their headers: Authorization as callers write it, and DPoP.
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { boundTo, CALLED, proofOf } from './vector-proofs.ts'
import type { Materials } from './vector.ts'

/** A request by its headers. */
export type RequestVector = {
  readonly name: string
  readonly authorization: string | null
  /** The header `DPoP`. */
  readonly proof: string | null
  readonly method: string
  readonly url: string
  readonly scopes?: readonly string[]
  readonly refusal: RefusalCode | null
}

type Written = readonly [
  authorization: string | null,
  refusal: RefusalCode | null,
  more?: Pick<RequestVector, 'scopes'> & { readonly proof?: string },
]

/** The header Authorization as callers write it (RFC 6750 §2.1, RFC 9449 §7.1, RFC 9110 §11.4). */
export const requestRows = ({ genuine, holders: { ES256: holder } }: Materials): readonly RequestVector[] => {
  const { text } = genuine
  const bound = boundTo(genuine, holder.jkt)
  const proof = proofOf(holder, bound)
  const table: Readonly<Record<string, Written>> = {
    'no header': [null, 'missing_token'],
    'no header, and a scope': [null, 'missing_token', { scopes: ['db:read'] }],
    'no header, and a proof': [null, 'missing_token', { proof }],
    'an empty header': ['', 'missing_token'],
    Bearer: [`Bearer ${text}`, null],
    'Bearer, and a scope': [`Bearer ${text}`, null, { scopes: ['db:read'] }],
    'Bearer, and a scope that the token lacks': [`Bearer ${text}`, 'insufficient_scope', { scopes: ['db:write'] }],
    'Bearer in small letters': [`bearer ${text}`, null],
    'Bearer in capital letters, and several spaces': [`BEARER   ${text}`, null],
    'Bearer, and a proof': [`Bearer ${text}`, null, { proof }],
    'Bearer alone': ['Bearer', 'invalid_request'],
    'Bearer and a space': ['Bearer ', 'invalid_request'],
    'Bearer alone, and a scope': ['Bearer', 'invalid_request', { scopes: ['db:read'] }],
    'a tab after Bearer': [`Bearer\t${text}`, 'missing_token'],
    'a space and a tab after Bearer': [`Bearer \t${text}`, 'invalid_request'],
    'U+00A0 after Bearer': [`Bearer\u00a0${text}`, 'missing_token'],
    'U+001C after Bearer': [`Bearer\u001c${text}`, 'missing_token'],
    'a space and U+00A0 after Bearer': [`Bearer \u00a0${text}`, 'invalid_request'],
    'a space before Bearer': [` Bearer ${text}`, 'missing_token'],
    'a space after the token': [`Bearer ${text} `, 'invalid_request'],
    'a line feed after the token': [`Bearer ${text}\n`, 'invalid_request'],
    'two tokens': [`Bearer ${text} ${text}`, 'invalid_request'],
    'two headers in one': [`Bearer ${text}, Bearer ${text}`, 'invalid_request'],
    'quotation marks around the token': [`Bearer "${text}"`, 'invalid_request'],
    'a letter that is not ASCII': [`Bearer ${text}\u00e9`, 'invalid_request'],
    'a token with padding': [`Bearer ${text}=`, 'malformed'],
    'another scheme': ['Basic YTpi', 'missing_token'],
    'the token without a scheme': [text, 'missing_token'],
    DPoP: [`DPoP ${bound}`, null, { proof }],
    'DPoP in small letters': [`dpop ${bound}`, null, { proof }],
    'DPoP without a proof': [`DPoP ${bound}`, 'bad_proof'],
    'DPoP alone': ['DPoP', 'invalid_request', { proof }],
    'DPoP, and a scope that the token lacks': [`DPoP ${bound}`, 'insufficient_scope', { proof, scopes: ['db:write'] }],
    'DPoP with a token that is bound to nothing': [`DPoP ${text}`, 'wrong_scheme', { proof }],
    'Bearer with a token that is bound to a key': [`Bearer ${bound}`, 'wrong_scheme', { proof }],
  }
  return Object.entries(table).map(([name, [authorization, refusal, more = {}]]) => ({
    name,
    authorization,
    proof: null,
    ...CALLED,
    ...more,
    refusal,
  }))
}
