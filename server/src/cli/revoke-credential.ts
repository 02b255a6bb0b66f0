// mintmark credential revoke
import { type Command, Option } from 'commander'
import { CREDENTIAL_REASONS, type CredentialReason } from '../../../api/values/credentials.ts'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'
import { countAlive } from './count-alive.ts'

type Options = { readonly reason: CredentialReason; readonly keepTokens?: boolean; readonly note?: string }

export const addRevokeCredential = (credential: Command): void => {
  const reason = new Option('--reason <reason>', 'what its tokens end with')
  const command = credential
    .command('revoke')
    .description('refuse a credential from now on, and end the tokens that it got')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the credential; `mintmark credential list` shows it')
    .addOption(reason.choices(CREDENTIAL_REASONS).default('credential_revoked'))
    .option('--keep-tokens', 'let the tokens that it got live on')
    .option('--note <text>', 'for whoever reads the audit log and the history')
  defineAdminCommand<Options>(command, {
    json: 'print the credential as JSON',
    examples: [
      'mintmark credential revoke 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --reason secret_leaked --yes',
    ],
    consequence: async ({ api, args: [, id = ''], options: { keepTokens = false } }) => {
      const refuses = `This refuses the credential ${id} from now on`
      if (keepTokens) return `${refuses}; the tokens that it got live on.`
      return `${refuses} and ends every token that it got: ${await countAlive(api, { credential_id: id })}.`
    },
    run: async ({ api, args: [agentId = '', id = ''], options: { reason: because, keepTokens = false, note } }) => {
      const path = at`/api/v1/agents/${agentId}/credentials/${id}/revoke`
      const json = { reason: because, keep_tokens: keepTokens, note }
      return show(await api.ask({ method: 'POST', path, json }, 'credential_id'))
    },
  })
}
