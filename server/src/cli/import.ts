// mintmark import
import type { Command } from 'commander'
import { addImportClients } from './import-clients.ts'

const SERVERS = {
  keycloak: 'an unmasked realm export of Keycloak, or an array of its clients',
  hydra: 'clients of Hydra, as rows of its table or as its admin API prints them',
} as const

export const addImport = (program: Command): void => {
  const command = program.command('import').description('take over the clients of another server as agents')
  for (const [source, what] of Object.entries(SERVERS)) addImportClients(command, source, what)
}
