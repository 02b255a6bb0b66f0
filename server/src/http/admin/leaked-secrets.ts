// What a report of secrets found in the open does.
import { revokeLeakedSecrets } from '../../../../api/leaked-secrets.ts'
import type { AnswerOf } from '../../../../api/operation.ts'
import { type LeakAnswer, revokeLeakedSecrets as revoke } from '../../operations/credentials/revoke-leaked-secrets.ts'
import { bind } from './binding.ts'

const UNKNOWN = { result: 'unknown', kind: null, agent_id: null, credential_id: null, api_key_id: null } as const

const formatLeak = (answer: LeakAnswer): AnswerOf<typeof revokeLeakedSecrets>['data'][number] => {
  if (answer === 'unknown') return UNKNOWN
  const result = answer.revoked ? 'revoked' : 'already_revoked'
  return answer.kind === 'credential'
    ? { ...UNKNOWN, result, kind: answer.kind, agent_id: answer.agentId, credential_id: answer.id }
    : { ...UNKNOWN, result, kind: answer.kind, api_key_id: answer.id }
}

export const bindings = [
  bind(revokeLeakedSecrets, {
    run: (ports, origin, { body }) =>
      revoke(
        ports,
        origin,
        body.map(({ token, url }) => ({ secret: token, foundAt: url ?? null })),
      ),
    answer: ({ answers }) => ({ data: answers.map(formatLeak) }),
  }),
]
