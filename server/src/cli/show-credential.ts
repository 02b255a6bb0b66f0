// mintmark credential show
import type { Command } from 'commander'
import { showCredential } from '../operations/show-credential.ts'
import { administer } from './administer.ts'
import { printCredential } from './credential-record.ts'

const run = async (agentId: string, credentialId: string, options: { readonly json?: boolean }): Promise<void> => {
  const path = { agentId, credentialId }
  printCredential(await administer((ports, { caller }) => showCredential(ports, caller, path)), options.json ?? false)
}

export const addShowCredential = (credential: Command): void => {
  credential
    .command('show')
    .description('show one credential, and how many live tokens it got')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the credential; `mintmark credential list` shows it')
    .option('--json', 'print the credential as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark credential show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11',
    )
    .action(run)
}
