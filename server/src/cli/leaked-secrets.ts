// mintmark leaked-secrets
import type { Command } from 'commander'
import { revokeLeakedSecrets } from '../../../api/credentials.ts'
import { defineAdminCommand } from './administer.ts'
import type { DryRunOption } from './dry-run.ts'
import { CommandFailed } from './terminal/exit.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { areRecords, isRecord, printLine, type PrintedRecord, printTable } from './terminal/print.ts'
import { readStandardInput } from './terminal/standard-input.ts'

const WANTED = 'Expected on standard input one secret a line, or a JSON array of {"token","url"}.'

type Found = { readonly token: string; readonly url?: string }

const foundIn = (item: unknown): Found | undefined => {
  if (!isRecord(item) || typeof item['token'] !== 'string') return undefined
  return { token: item['token'], ...(typeof item['url'] === 'string' && { url: item['url'] }) }
}

const parseReport = (input: string): readonly Found[] | undefined => {
  const items = parseDocument(input)
  const found = Array.isArray(items) ? items.map(foundIn) : [undefined]
  return found.every(one => one !== undefined) ? found : undefined
}

const parseLines = (input: string): readonly Found[] =>
  input
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(token => ({ token }))

const COLUMNS = ['result', 'kind', 'agent', 'owner', 'name', 'agent_id', 'credential_id', 'api_key_id', 'token_id']

const rowsOf = ({ data }: PrintedRecord): readonly PrintedRecord[] => {
  if (areRecords(data)) return data
  throw new CommandFailed('The answer does not say what each secret was.')
}

/** Agents that can get no token any more, once what was reported is revoked. */
const warn = (rows: readonly PrintedRecord[], isTrial: boolean): void => {
  const left = new Map(rows.filter(row => row['last_credential'] === true).map(row => [row['agent_id'], row]))
  for (const { agent_id: id, agent } of left.values()) {
    const what = isTrial ? 'would be left' : 'is left'
    printLine(
      `The agent ${String(agent)} ${what} without a credential: mintmark credential create ${String(id)} --name NAME`,
    )
  }
}

const readFound = async (): Promise<readonly Found[]> => {
  const input = await readStandardInput('the secrets')
  // No secret opens with a brace: it is a report that is no array.
  const found = /^\s*[[{]/.test(input) ? parseReport(input) : parseLines(input)
  if (found === undefined) throw new CommandFailed(WANTED)
  return found
}

export const addLeakedSecrets = (program: Command): void => {
  const command = program
    .command('leaked-secrets')
    .description(
      'revoke secrets and access tokens found in the open, read from standard input, one a line, with everything that they got',
    )
    .option('--dry-run', 'print what each is and whose, and revoke nothing')
  defineAdminCommand<DryRunOption>(command, {
    json: 'print {"data":[…]}, what each was in order',
    examples: ['mintmark leaked-secrets --dry-run < report.json', 'mintmark leaked-secrets < report.json'],
    run: async ({ api, options: { dryRun = false } }) => {
      const body = [...(await readFound())]
      const answer = await api.call(revokeLeakedSecrets, { body, ...(dryRun && { query: { dry_run: true } }) })
      const rows = rowsOf(answer)
      const forPeople = (): void => {
        printTable(COLUMNS, rows)
        warn(rows, dryRun)
      }
      return { json: answer, forPeople }
    },
  })
}
