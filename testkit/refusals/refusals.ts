// Each refusal of a resource server as it is sent, as a table that verifiers in other languages read. `refusals.json`
// beside this file holds it; `node testkit/refusals/refusals.ts` writes it, and a test compares the two.
//
// `cases` is an array of {code, scheme, scopes, resource_metadata, proof_algorithms, status, challenge, retry_after, body}.
//   `code`: the refusal. `scheme`: Bearer or DPoP, of the challenge. `scopes`: those that the request needs.
//   `resource_metadata`: the URL of the protected resource metadata; null where there is none.
//   `proof_algorithms`: of DPoP proofs, by spaces.
//   `status`, `challenge` (the header WWW-Authenticate; null: none), `retry_after` (seconds; null: no such header), and `body` (JSON).
// Of cases of a refusal that are sent alike only the first one stands here: it has the most that must not be sent.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PROOF_ALGORITHMS } from '../../packages/verify/src/readers/proof-claims.ts'
import { REFUSAL_CODES, refuse, type RefusalContext } from '../../packages/verify/src/refusals.ts'

export const REFUSALS_FILE = resolve(import.meta.dirname, 'refusals.json')

/** Characters that a challenge cannot hold are left out of it (RFC 6750 §3). */
const SCOPES: readonly (readonly string[])[] = [
  ['db:"read"', 'mail\\send', 'a\r\nb:\u0000c', 'gr\u00f6\u00dfe', '\u{1F600}x', 'd\u007fe'],
  ['db:read', 'mail:send', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
  ['\u00e4'],
]
const SCHEMES = ['DPoP', 'Bearer'] as const
const ADDRESS = 'https://orders.example/.well-known/oauth-protected-resource/v1?a=b'
const ALGORITHMS = PROOF_ALGORITHMS.join(' ')

type Rest = Omit<RefusalContext, 'scheme'>

const MANY: readonly Rest[] = SCOPES.flatMap(scopes =>
  [ADDRESS, undefined].map(resourceMetadata => ({ scopes, resourceMetadata, proofAlgorithms: ALGORITHMS })),
)
/** What each parameter alone can be. */
const FEW: readonly Rest[] = [
  { scopes: ['"'], resourceMetadata: `${ADDRESS}"\u00e9`, proofAlgorithms: 'ES256' },
  { scopes: [''], resourceMetadata: '\u00e9', proofAlgorithms: '' },
]

export type RefusalCase = {
  readonly code: string
  readonly scheme: 'Bearer' | 'DPoP'
  readonly scopes: readonly string[]
  readonly resource_metadata: string | null
  readonly proof_algorithms: string
  readonly status: number
  readonly challenge: string | null
  readonly retry_after: number | null
  readonly body: Readonly<Record<string, string>>
}

const caseOf = (code: (typeof REFUSAL_CODES)[number], context: RefusalContext): RefusalCase => {
  const { status, challenge = null, retryAfter = null, body } = refuse(code, '', context)
  const { scheme, scopes, resourceMetadata = null, proofAlgorithms } = context
  const asked = { code, scheme, scopes, resource_metadata: resourceMetadata, proof_algorithms: proofAlgorithms }
  return { ...asked, status, challenge, retry_after: retryAfter, body }
}

/** The first of the cases that are sent alike. */
const distinct = (cases: readonly RefusalCase[]): readonly RefusalCase[] =>
  cases.filter(({ challenge }, n) => cases.findIndex(other => other.challenge === challenge) === n)

/** All for the refusals whose challenges are made in different ways, two for the others. */
const contextsOf = (code: string): readonly RefusalContext[] => {
  const rests = ALL_CONTEXTS.has(code) ? [...FEW, ...MANY] : MANY.slice(0, 2)
  return rests.flatMap(rest => SCHEMES.map(scheme => ({ ...rest, scheme })))
}

const ALL_CONTEXTS = new Set<string>(['missing_token', 'bad_proof', 'invalid_request', 'insufficient_scope'])

export const REFUSAL_CASES = REFUSAL_CODES.flatMap(code =>
  distinct(contextsOf(code).map(context => caseOf(code, context))),
)

const ABOUT =
  'Refusals of Mintmark access tokens as they are sent, for verifiers. Written by testkit/refusals/refusals.ts, whose first comment explains the members: do not edit.'

/** Other characters than ASCII as escapes of JSON. */
export const toAscii = (json: string): string =>
  json.replaceAll(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** An array in JSON with a line for each row. */
export const formatRows = (rows: readonly object[]): string =>
  `[\n${rows.map(row => JSON.stringify(row)).join(',\n')}\n]`

/** The table as `refusals.json` holds it. */
export const formatRefusals = (): string =>
  toAscii(`{"about": ${JSON.stringify(ABOUT)},\n"cases": ${formatRows(REFUSAL_CASES)}}\n`)

if (import.meta.main) writeFileSync(REFUSALS_FILE, formatRefusals())
