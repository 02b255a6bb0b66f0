// mintmark key show
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { EXAMPLE_KID, KID, showKey } from './key-change.ts'

export const addShowKey = (key: Command): void => {
  const command = key
    .command('show')
    .description('show a signing key and how much of its life is left, never its private half')
    .argument('<kid>', KID)
  defineAdminCommand(command, {
    json: 'print the record, with the public key',
    examples: [`mintmark key show ${EXAMPLE_KID}`],
    run: async ({ api, args: [kid = ''] }) =>
      showKey(await api.ask({ method: 'GET', path: at`/api/v1/keys/${kid}` }, 'kid', 'state')),
  })
}
