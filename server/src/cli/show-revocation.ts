// mintmark revocation show
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { askRevocation, followRevocation } from './follow-revocation.ts'

type Options = { readonly wait?: boolean }

export const addShowRevocation = (revocation: Command): void => {
  const command = revocation
    .command('show')
    .description('show a revocation, and how far the records of its tokens have followed')
    .argument('<revocation-id>', 'the id of the revocation')
    .option('--wait', 'until every record has followed')
  defineAdminCommand<Options>(command, {
    json: 'print the revocation as GET /api/v1/revocations/{id} answers it',
    examples: ['mintmark revocation show 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'],
    run: async ({ api, args: [id = ''], options: { wait = false } }) => {
      const found = await askRevocation(api, id)
      return show(wait ? await followRevocation(api, found) : found)
    },
  })
}
