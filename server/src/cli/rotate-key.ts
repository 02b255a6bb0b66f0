// mintmark key rotate
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { CHANGED_KEY, CHANGED_KEY_JSON, showKey } from './key-change.ts'

type Options = { readonly force?: boolean; readonly note?: string }

export const addRotateKey = (key: Command): void => {
  const command = key
    .command('rotate')
    .description('let the next key sign: now where verifiers have it, else as soon as they have')
    .option('--force', 'at once, although verifiers that keep the key set may refuse its tokens for some minutes')
    .option('--note <text>', 'for whoever reads the audit log')
  defineAdminCommand<Options>(command, {
    json: CHANGED_KEY_JSON,
    examples: ['mintmark key rotate --note "quarterly"'],
    run: async ({ api, options: { force, note } }) => {
      const request = { method: 'POST', path: '/api/v1/keys/rotate', json: { force, note } } as const
      const changed = await api.ask(request, ...CHANGED_KEY)
      const waits = 'It signs as soon as it has been published long enough.'
      return showKey(changed, changed['state'] === 'next' ? waits : undefined)
    },
  })
}
