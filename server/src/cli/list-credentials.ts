// mintmark credential list
import type { Command } from 'commander'
import { listCredentials } from '../operations/list-credentials.ts'
import { administer } from './administer.ts'
import { credentialRecord } from '../domain/credential-record.ts'
import { credentialCells } from './credential-record.ts'
import { listAll } from './list-all.ts'
import { printJson, printTable } from './print.ts'

const COLUMNS = ['credential_id', 'name', 'expires_at', 'last_used_at', 'revoked_at', 'live_tokens']

const run = async (agentId: string, options: { readonly json?: boolean }): Promise<void> => {
  const credentials = await administer((ports, { caller }) =>
    listAll(request => listCredentials(ports, caller, agentId, request)),
  )
  if (options.json) return printJson({ data: credentials.map(credentialRecord) })
  printTable(COLUMNS, credentials.map(credentialCells))
}

export const addListCredentials = (credential: Command): void => {
  credential
    .command('list')
    .description('list the credentials of an agent, the revoked and expired ones too')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .option('--json', 'print {"data":[…]}')
    .addHelpText('after', '\nExample:\n  mintmark credential list 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    .action(run)
}
