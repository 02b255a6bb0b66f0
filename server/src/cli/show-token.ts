// mintmark token show
import type { Command } from 'commander'
import { showToken } from '../operations/show-token.ts'
import { administer } from './administer.ts'
import { printLife } from './token-record.ts'

const run = async (tokenId: string, options: { readonly json?: boolean }): Promise<void> =>
  printLife(await administer((ports, { caller }) => showToken(ports, caller, tokenId)), options.json ?? false)

export const addShowToken = (token: Command): void => {
  token
    .command('show')
    .description('show the whole life of one token, live or ended')
    .argument('<token-id>', 'the id of the token, which is its jti')
    .option('--json', 'print the token as GET /api/v1/tokens/{id} answers it')
    .addHelpText('after', '\nExample:\n  mintmark token show 019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10')
    .action(run)
}
