// Introspection for the owner of the store, who needs no API key.
import { introspectToken } from '../../../../api/oauth.ts'
import { membersOf } from '../../domain/ledger/introspection.ts'
import { refuseWithoutIssuer } from '../../operations/tokens/explain-token.ts'
import { introspectForOwner } from '../../operations/tokens/introspect-tokens.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(introspectToken, {
    run: async ({ codec, ...ports }: AdministrationPorts, _origin, { body }) =>
      codec === null ? refuseWithoutIssuer() : introspectForOwner({ ...ports, codec }, body.token),
    answer: membersOf,
  }),
]
