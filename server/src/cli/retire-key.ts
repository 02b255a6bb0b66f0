// mintmark key retire
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { CHANGED_KEY, CHANGED_KEY_JSON, EXAMPLE_KID, KID, showKey } from './key-change.ts'

type Options = { readonly force?: boolean; readonly note?: string }

export const addRetireKey = (key: Command): void => {
  const command = key
    .command('retire')
    .description('take a key out of signing; what it signed lives on')
    .argument('<kid>', KID)
    .option('--force', 'at once, although verifiers may not have the key that follows')
    .option('--note <text>', 'for whoever reads the audit log')
  defineAdminCommand<Options>(command, {
    json: CHANGED_KEY_JSON,
    examples: [`mintmark key retire ${EXAMPLE_KID}`],
    run: async ({ api, args: [kid = ''], options: { force, note } }) => {
      const request = { method: 'POST', path: at`/api/v1/keys/${kid}/retire`, json: { force, note } } as const
      return showKey(await api.ask(request, ...CHANGED_KEY))
    },
  })
}
