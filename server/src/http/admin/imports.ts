// What an import does.
import type { z } from 'zod'
import * as api from '../../../../api/imports.ts'
import { changeOf } from '../../domain/clients/agent-record.ts'
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { secretFormOf } from '../../domain/import/foreign-hash.ts'
import { formatOutcome } from '../../domain/import/import-outcome.ts'
import { isRefused } from '../../domain/refusal.ts'
import { importClients, type WantedAgent } from '../../operations/imports/import-clients.ts'
import { bind } from './binding.ts'

type Body = z.output<typeof api.importClients.body>['agents'][number]

const secretOf = ({ client_secret: secret, secret_hash: hash }: Body): ForeignClient['secret'] => {
  if (typeof secret === 'string') return { form: 'secret', text: secret }
  if (typeof hash !== 'string') return null
  const form = secretFormOf(hash)
  return { form: form === 'secret' ? 'hash_unknown' : form, text: hash }
}

const wantedOf = (agent: Body): WantedAgent => ({
  clientId: agent.client_id,
  change: changeOf(agent),
  isDisabled: agent.disabled ?? false,
  secret: secretOf(agent),
  secretExpiresAt: agent.secret_expires_at ?? null,
})

export const bindings = [
  bind(api.importClients, {
    run: async (ports, origin, { body }) => {
      const isTrial = body.dry_run ?? false
      const imported = await importClients(ports, origin, { agents: body.agents.map(wantedOf), isTrial })
      return isRefused(imported) ? imported : { ...imported, isTrial }
    },
    answer: ({ outcomes, isTrial }) => ({
      dry_run: isTrial,
      data: outcomes.map(outcome => formatOutcome(outcome, isTrial)),
    }),
  }),
]
