// mintmark token revoke
import type { Command } from 'commander'
import { TOKEN_REVOCATION_REASONS } from '../domain/reason.ts'
import { revokeTokenById } from '../operations/revoke-token-by-id.ts'
import { administer } from './administer.ts'
import { printLife } from './token-record.ts'

type Options = { readonly reason?: string; readonly note?: string; readonly json?: boolean }

const run = async (tokenId: string, options: Options): Promise<void> => {
  const request = { reason: options.reason ?? null, note: options.note ?? null }
  const life = await administer((ports, origin) => revokeTokenById(ports, origin, tokenId, request))
  printLife(life, options.json ?? false)
}

export const addRevokeTokenById = (token: Command): void => {
  token
    .command('revoke')
    .description('end one token, at once; one that has ended stays as it ended')
    .argument('<token-id>', 'the id of the token, which is its jti')
    .option('--reason <reason>', `one of ${TOKEN_REVOCATION_REASONS.join(', ')}; the first unless given`)
    .option('--note <text>', 'for those who read the history later')
    .option('--json', 'print the token as GET /api/v1/tokens/{id} answers it')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark token revoke 019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10 --note "seen in a public log"',
    )
    .action(run)
}
