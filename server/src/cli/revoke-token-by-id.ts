// mintmark token revoke
import { type Command, Option } from 'commander'
import { TOKEN_REVOCATION_REASONS } from '../../../api/values/reason.ts'
import { defineAdminCommand, show } from './administer.ts'
import { type Api, ApiRefusal, at } from './remote/api.ts'
import { readTokenId } from './token-id.ts'

type Options = { readonly reason?: string; readonly note?: string }

const describe = async (api: Api, id: string): Promise<string> => {
  try {
    const token = await api.ask({ method: 'GET', path: at`/api/v1/tokens/${id}` }, 'id', 'agent_id', 'state')
    return `1 token, ${String(token['state'])}, of agent ${String(token['agent_id'])}`
  } catch (error) {
    // Who may end a token need not be allowed to look at it.
    if (error instanceof ApiRefusal && error.status === 403) return '1 token, if there is one'
    throw error
  }
}

export const addRevokeTokenById = (token: Command): void => {
  const reason = new Option('--reason <reason>', 'what it ends with; the first unless given')
  const command = token
    .command('revoke')
    .description('end one token, at once; one that has ended stays as it ended')
    .argument('<token-id>', 'the id of the token, which is its jti', readTokenId)
    .addOption(reason.choices(TOKEN_REVOCATION_REASONS))
    .option('--note <text>', 'for those who read the history later')
  defineAdminCommand<Options>(command, {
    json: 'print the token as GET /api/v1/tokens/{id} answers it',
    examples: ['mintmark token revoke 019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10 --note "seen in a public log" --yes'],
    consequence: async ({ api, args: [id = ''] }) => `This ends the token ${id}: ${await describe(api, id)}.`,
    run: async ({ api, args: [id = ''], options: { reason: because, note } }) => {
      const json = { reason: because, note }
      return show(await api.ask({ method: 'POST', path: at`/api/v1/tokens/${id}/revoke`, json }, 'id', 'state'))
    },
  })
}
