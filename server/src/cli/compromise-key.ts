// mintmark key compromise
import type { Command } from 'commander'
import { defineAdminCommand } from './administer.ts'
import { at } from './remote/api.ts'
import { countAlive } from './count-alive.ts'
import { CHANGED_KEY, CHANGED_KEY_JSON, EXAMPLE_KID, KID, showKey } from './key-change.ts'

type Options = { readonly note?: string }

export const addCompromiseKey = (key: Command): void => {
  const command = key
    .command('compromise')
    .description('a key leaked: out of the key set, its tokens ended, another signs, all from exit code 0 on')
    .argument('<kid>', KID)
    .option('--note <text>', 'for whoever reads the history later')
  defineAdminCommand<Options>(command, {
    json: CHANGED_KEY_JSON,
    examples: [`mintmark key compromise ${EXAMPLE_KID} --yes`],
    consequence: async ({ api, args: [kid = ''] }) => {
      const { state } = await api.ask({ method: 'GET', path: at`/api/v1/keys/${kid}` }, 'kid', 'state')
      const count = await countAlive(api, { kid })
      return `This takes the key ${kid} (${String(state)}) out of the key set for ever and ends every token that it signed: ${count}.`
    },
    run: async ({ api, args: [kid = ''], options: { note } }) => {
      const request = { method: 'POST', path: at`/api/v1/keys/${kid}/compromise`, json: { note } } as const
      return showKey(await api.ask(request, ...CHANGED_KEY))
    },
  })
}
