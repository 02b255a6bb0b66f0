// mintmark leaked-secrets
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { refuse } from '../domain/refusal.ts'
import { type FoundSecret, type LeakAnswer, revokeLeakedSecrets } from '../operations/revoke-leaked-secrets.ts'
import { administer } from './administer.ts'
import { printJson, printTable } from './print.ts'

const WANTED = 'Expected on standard input one secret a line, or a JSON array of {"token","url"}.'

const foundIn = (item: unknown): FoundSecret | undefined => {
  if (typeof item !== 'object' || item === null || !('token' in item) || typeof item.token !== 'string')
    return undefined
  return { secret: item.token, foundAt: 'url' in item && typeof item.url === 'string' ? item.url : null }
}

const parseReport = (input: string): readonly FoundSecret[] | undefined => {
  try {
    const items: unknown = JSON.parse(input)
    const found = Array.isArray(items) ? items.map(foundIn) : [undefined]
    return found.every(one => one !== undefined) ? found : undefined
  } catch {
    return undefined
  }
}

const parseLines = (input: string): readonly FoundSecret[] =>
  input
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(secret => ({ secret, foundAt: null }))

const recordOf = (answer: LeakAnswer) => {
  const nothing = { kind: null, agent_id: null, credential_id: null, api_key_id: null }
  if (answer === 'unknown') return { result: answer, ...nothing }
  const { kind, id } = answer
  const result = answer.revoked ? 'revoked' : 'already_revoked'
  return answer.kind === 'credential'
    ? { result, ...nothing, kind, agent_id: answer.agentId, credential_id: id }
    : { result, ...nothing, kind, api_key_id: id }
}

const run = async (options: { readonly json?: boolean }): Promise<void> => {
  const input = await text(process.stdin)
  const found = /^\s*\[/.test(input) ? parseReport(input) : parseLines(input)
  const { answers } = await administer(async (ports, origin) =>
    found === undefined ? refuse('invalid_request', WANTED) : revokeLeakedSecrets(ports, origin, found),
  )
  const records = answers.map(recordOf)
  if (options.json) return printJson({ data: records })
  printTable(['result', 'kind', 'agent_id', 'credential_id', 'api_key_id'], records)
}

export const addLeakedSecrets = (program: Command): void => {
  program
    .command('leaked-secrets')
    .description('revoke secrets found in the open, read from standard input, with everything that they got')
    .option('--json', 'print {"data":[…]}, what each was in order')
    .addHelpText('after', '\nExample:\n  mintmark leaked-secrets < report.json')
    .action(run)
}
