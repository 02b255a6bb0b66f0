// mintmark credential revoke
import { type Command, Option } from 'commander'
import { CREDENTIAL_REASONS, type CredentialReason } from '../domain/credential.ts'
import { revokeCredential } from '../operations/revoke-credential.ts'
import { administer } from './administer.ts'
import { printCredential } from './credential-record.ts'

type Options = {
  readonly reason: CredentialReason
  readonly keepTokens?: boolean
  readonly note?: string
  readonly json?: boolean
}

const run = async (agentId: string, credentialId: string, options: Options): Promise<void> => {
  const { reason, keepTokens = false, note = null } = options
  const request = { agentId, credentialId, reason, keepTokens, note }
  printCredential(await administer((ports, origin) => revokeCredential(ports, origin, request)), options.json ?? false)
}

export const addRevokeCredential = (credential: Command): void => {
  credential
    .command('revoke')
    .description('refuse a credential from now on, and end the tokens that it got')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the credential; `mintmark credential list` shows it')
    .addOption(
      new Option('--reason <reason>', 'what its tokens end with')
        .choices(CREDENTIAL_REASONS)
        .default('credential_revoked'),
    )
    .option('--keep-tokens', 'let the tokens that it got live on')
    .option('--note <text>', 'for whoever reads the audit log and the history')
    .option('--json', 'print the credential as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark credential revoke 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --reason secret_leaked',
    )
    .action(run)
}
