// What a revocation of many tokens may ask for, and for whom: the same for one that is made and for one that is only counted.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import { isNote, NOTE_FORM } from '../../../../api/values/note.ts'
import { BULK_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { type OrRefusal, type Refusal, refuse } from '../../domain/refusal.ts'
import type { RevocationConditions, RevocationObstacle } from '../../domain/ledger/revocation.ts'
import { parseScopePatterns } from '../../../../api/values/scope.ts'
import { isKid } from '../../domain/keys/signing-key.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'

export type RevocationRequest = {
  /** A UUID that the caller chose, by which a repeat is recognised; null: one is made. */
  readonly id: string | null
  readonly conditions: RevocationConditions
  /** Must be said where no condition is: no slip ends every token. */
  readonly all: boolean
  /** One of BULK_REVOCATION_REASONS; null for the first of them. */
  readonly reason: string | null
  readonly note: string | null
}

type CheckedRevocation = {
  readonly conditions: RevocationConditions
  readonly reason: (typeof BULK_REVOCATION_REASONS)[number]
}

/** Where a text is asked for, how it stands in the store; undefined where it has not the form. */
const FORMS: Readonly<
  Record<Exclude<keyof RevocationConditions, 'issuedBefore'>, (text: string) => string | undefined>
> = {
  agentId: parseUuid,
  credentialId: parseUuid,
  scope: text => {
    const patterns = parseScopePatterns(text)
    return patterns?.length === 1 ? patterns[0] : undefined
  },
  // The default audience of a service need not be a URI.
  audience: text => (/^[\x21-\x7E]{1,512}$/.test(text) ? text : undefined),
  kid: text => (isKid(text) ? text : undefined),
}

const EXPECTED = {
  agentId: 'agent_id is not a UUID.',
  credentialId: 'credential_id is not a UUID.',
  scope: 'scope is not one item of the form resource:action or resource:*.',
  audience: 'audience is not 1 to 512 printable ASCII characters without spaces.',
  kid: 'kid is not 1 to 128 printable ASCII characters without spaces.',
} as const

const parseConditions = (asked: RevocationConditions): OrRefusal<RevocationConditions> => {
  const parsed: Record<keyof typeof FORMS, string | null> & Pick<RevocationConditions, 'issuedBefore'> = { ...asked }
  for (const name of ['agentId', 'credentialId', 'scope', 'audience', 'kid'] as const) {
    const text = asked[name]
    if (text === null) continue
    const value = FORMS[name](text)
    if (value === undefined) return refuse('invalid_request', EXPECTED[name])
    parsed[name] = value
  }
  return parsed
}

const refuseReach = ({ conditions, all }: RevocationRequest, caller: Administrator): Refusal | undefined => {
  const isEmpty = Object.values(conditions).every(condition => condition === null)
  if (isEmpty !== all) {
    const description = all
      ? 'all ends every token, and goes with no condition.'
      : 'No condition is given: name one, or end every token by all, set to true.'
    return { code: 'invalid_request', description }
  }
  const audiences = audiencesOf(caller)
  if (audiences === null || (conditions.audience !== null && audiences.includes(conditions.audience))) return undefined
  return {
    code: 'insufficient_scope',
    description: 'This API key is limited to audiences: it must name one of them as audience.',
  }
}

/** The request as the store takes it, or why it is refused. */
export const checkRevocation = (caller: Administrator, request: RevocationRequest): OrRefusal<CheckedRevocation> => {
  const given = BULK_REVOCATION_REASONS.find(name => name === (request.reason ?? BULK_REVOCATION_REASONS[0]))
  if (given === undefined) return refuse('invalid_request', `reason is not ${BULK_REVOCATION_REASONS.join(', ')}.`)
  if (request.note !== null && !isNote(request.note)) return refuse('invalid_request', `note is not ${NOTE_FORM}.`)
  const refusal = refuseReach(request, caller)
  if (refusal !== undefined) return { refusal }
  const conditions = parseConditions(request.conditions)
  return 'refusal' in conditions ? conditions : { conditions, reason: given }
}

const OBSTACLES: Readonly<Record<RevocationObstacle, Refusal>> = {
  unknown_agent: { code: 'invalid_request', description: 'agent_id: no agent has this id.' },
  unknown_credential: { code: 'invalid_request', description: 'credential_id: no credential has this id.' },
  unknown_key: { code: 'invalid_request', description: 'kid: no signing key of this service has it.' },
  issued_before_in_future: {
    code: 'invalid_request',
    description: 'issued_before is in the future: a revocation ends no token that is yet to be issued.',
  },
  other_conditions: {
    code: 'already_exists',
    description: 'A revocation with this id and other conditions was made before; choose another id.',
  },
}

export const refuseObstacle = (obstacle: RevocationObstacle): { readonly refusal: Refusal } => ({
  refusal: OBSTACLES[obstacle],
})
