// mintmark token introspect
import type { Command } from 'commander'
import { readTokenConfig } from '../config/config.ts'
import { defineAdminCommand, show } from './administer.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { readSecret } from './terminal/standard-input.ts'

type Options = { readonly tokenFile?: string }

const findToken = async ({ tokenFile }: Options): Promise<string> => {
  if (tokenFile !== undefined) return readSecret(tokenFile, 'the token')
  return readTokenConfig() ?? (await readSecret('-', 'the token'))
}

export const addIntrospectToken = (token: Command): void => {
  const command = token
    .command('introspect')
    .description('tell whether a token is active; it is read from standard input, or MINTMARK_TOKEN')
    .option('--token-file <file>', 'read the token from this file, or - for standard input')
  defineAdminCommand<Options>(command, {
    json: 'print what POST /oauth/introspect/v2 answers',
    examples: ['mintmark token introspect < token.txt', 'mintmark token introspect --token-file token.txt --json'],
    run: async ({ api, options }) => {
      const form = { token: await findToken(options) }
      const answer = await api.ask({ method: 'POST', path: '/oauth/introspect/v2', form })
      if (typeof answer['active'] !== 'boolean')
        throw new CommandFailed('The answer does not say whether it is active.')
      if (answer['active']) return show(answer)
      return { ...show(answer), failure: new CommandFailed('The token is not active.', EXIT.notActive) }
    },
  })
}
