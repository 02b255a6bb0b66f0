// POST /api/v1/leaked-secrets: secrets found in the open, in the form that GitHub's secret scanning sends to partners.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { type LeakAnswer, revokeLeakedSecrets } from '../../operations/credentials/revoke-leaked-secrets.ts'
import { LEAKED_SECRETS_MAX } from '../../../../api/values/credentials.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { makeJsonReader } from '../wire/json-body.ts'
import type { Refuser } from '../wire/refusals.ts'

/** A full report is longer than other bodies are, and holds more: each secret comes with some members. */
export const LEAK_REPORT_BYTES_MAX = 1_048_576
const LEAK_REPORT_VALUES = { max: 20 * LEAKED_SECRETS_MAX, advice: 'report the secrets in parts' }

// Members that a scanner adds one day are passed over: a report must not be lost for them.
const foundSecret = z.object({
  token: z.string().describe('The secret that was found.'),
  type: z.string().nullish().describe('What the scanner takes it for; not needed.'),
  url: z.string().nullish().describe('Where it was found; the audit log keeps it.'),
  source: z.string().nullish().describe('The kind of place; not needed.'),
})

export const leakReport = z
  .array(foundSecret)
  .min(1, { error: 'holds no secret' })
  .max(LEAKED_SECRETS_MAX, { error: `holds more than ${LEAKED_SECRETS_MAX} secrets` })

/** The parser of the body. */
export const readLeakReport = makeJsonReader(leakReport, LEAK_REPORT_VALUES)

const leakAnswer = z.object({
  result: z.enum(['revoked', 'already_revoked', 'unknown']),
  kind: z.enum(['credential', 'api_key']).nullable().describe('Null where it is not a secret of this service.'),
  agent_id: z.string().nullable(),
  credential_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
})

export const leakAnswers = z.object({ data: z.array(leakAnswer).describe('What each was, in order.') })

const UNKNOWN = { result: 'unknown', kind: null, agent_id: null, credential_id: null, api_key_id: null } as const

const formatLeak = (answer: LeakAnswer): z.output<typeof leakAnswer> => {
  if (answer === 'unknown') return UNKNOWN
  const result = answer.revoked ? 'revoked' : 'already_revoked'
  return answer.kind === 'credential'
    ? { ...UNKNOWN, result, kind: answer.kind, agent_id: answer.agentId, credential_id: answer.id }
    : { ...UNKNOWN, result, kind: answer.kind, api_key_id: answer.id }
}

export const makeLeakedSecretsHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.revokeTokens,
    run: (origin, { body }: AdministrationInput<z.output<typeof leakReport>>) =>
      revokeLeakedSecrets(
        ports,
        origin,
        body.map(({ token, url }) => ({ secret: token, foundAt: url ?? null })),
      ),
    answer: (reply, { answers }) => reply.send({ data: answers.map(formatLeak) }),
  })
