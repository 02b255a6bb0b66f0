// mintmark token
import type { Command } from 'commander'
import { addExportHistory } from './export-history.ts'
import { addExportTokens } from './export-tokens.ts'
import { addIntrospectToken } from './introspect-token.ts'
import { addListHistory } from './list-history.ts'
import { addListTokens } from './list-tokens.ts'
import { addRevokeTokenById } from './revoke-token-by-id.ts'
import { addShowToken } from './show-token.ts'

export const addToken = (program: Command): void => {
  const token = program.command('token').description('the tokens, live and ended')
  for (const addTo of [
    addListTokens,
    addListHistory,
    addShowToken,
    addIntrospectToken,
    addRevokeTokenById,
    addExportTokens,
    addExportHistory,
  ])
    addTo(token)
}
