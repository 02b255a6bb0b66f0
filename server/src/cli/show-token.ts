// mintmark token show
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'
import { readTokenId } from './token-id.ts'

export const addShowToken = (token: Command): void => {
  const command = token
    .command('show')
    .description('show the whole life of one token, live or ended')
    .argument('<token-id>', 'the id of the token, which is its jti', readTokenId)
  defineAdminCommand(command, {
    json: 'print the token as GET /api/v1/tokens/{id} answers it',
    examples: ['mintmark token show 019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'],
    run: async ({ api, args: [id = ''] }) =>
      show(await api.ask({ method: 'GET', path: at`/api/v1/tokens/${id}` }, 'id', 'state')),
  })
}
