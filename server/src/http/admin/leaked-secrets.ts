// What a report of secrets found in the open does.
import { revokeLeakedSecrets } from '../../../../api/credentials.ts'
import type { AnswerOf } from '../../../../api/operation.ts'
import { type LeakAnswer, revokeLeakedSecrets as revoke } from '../../operations/credentials/revoke-leaked-secrets.ts'
import { bind } from './binding.ts'

type Leak = AnswerOf<typeof revokeLeakedSecrets>['data'][number]

const UNKNOWN = {
  result: 'unknown',
  kind: null,
  agent_id: null,
  credential_id: null,
  api_key_id: null,
  token_id: null,
  name: null,
  agent: null,
  owner: null,
  last_credential: null,
} as const satisfies Leak

const formatOurs = (answer: Exclude<LeakAnswer, 'unknown'>): Partial<Leak> => {
  const { kind, id } = answer
  if (kind === 'api_key') return { kind, api_key_id: id, name: answer.name }
  const holder = { agent_id: answer.agentId, agent: answer.agentName, owner: answer.owner }
  return kind === 'credential'
    ? { kind, ...holder, credential_id: id, name: answer.name, last_credential: answer.isLast }
    : { kind, ...holder, credential_id: answer.credentialId, token_id: id }
}

const formatLeak = (answer: LeakAnswer, isTrial: boolean): Leak => {
  if (answer === 'unknown') return UNKNOWN
  const ended = isTrial ? 'would_revoke' : 'revoked'
  return { ...UNKNOWN, result: answer.revoked ? ended : 'already_revoked', ...formatOurs(answer) }
}

export const bindings = [
  bind(revokeLeakedSecrets, {
    run: (ports, origin, { query, body }) =>
      revoke(ports, origin, {
        found: body.map(({ token, url }) => ({ secret: token, foundAt: url ?? null })),
        isTrial: query.dry_run ?? false,
      }),
    answer: ({ answers, isTrial }) => ({ data: answers.map(answer => formatLeak(answer, isTrial)) }),
  }),
]
