// mintmark revocation show
import type { Command } from 'commander'
import { showRevocation } from '../operations/show-revocation.ts'
import { administer } from './administer.ts'
import { printRevocation } from './revocation-record.ts'

const run = async (id: string, options: { readonly json?: boolean }): Promise<void> =>
  printRevocation(await administer((ports, { caller }) => showRevocation(ports, caller, id)), options.json ?? false)

export const addShowRevocation = (revocation: Command): void => {
  revocation
    .command('show')
    .description('show a revocation, and how far the records of its tokens have followed')
    .argument('<revocation-id>', 'the id of the revocation')
    .option('--json', 'print the revocation as GET /api/v1/revocations/{id} answers it')
    .addHelpText('after', '\nExample:\n  mintmark revocation show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10')
    .action(run)
}
