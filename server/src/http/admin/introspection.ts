// Introspection for the owner of the store, who needs no API key.
import { introspectToken } from '../../../../api/oauth.ts'
import { refuse } from '../../domain/refusal.ts'
import { introspectForOwner } from '../../operations/tokens/introspect-tokens.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { bind } from './binding.ts'

const refuseWithoutIssuer = () =>
  refuse(
    'invalid_request',
    'Tokens name their issuer, which is not known here: set MINTMARK_BASE_URL as the service has it.',
  )

export const bindings = [
  bind(introspectToken, {
    run: async ({ codec, ...ports }: AdministrationPorts, _origin, { body }) =>
      codec === null ? refuseWithoutIssuer() : introspectForOwner({ ...ports, codec }, body.token),
    answer: introspection => introspection,
  }),
]
