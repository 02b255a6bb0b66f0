// mintmark leaked-secrets
import type { Command } from 'commander'
import { revokeLeakedSecrets } from '../../../api/leaked-secrets.ts'
import { defineAdminCommand } from './administer.ts'
import { CommandFailed } from './terminal/exit.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { areRecords, isRecord, type PrintedRecord, printTable } from './terminal/print.ts'
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

const COLUMNS = ['result', 'kind', 'agent_id', 'credential_id', 'api_key_id']

const rowsOf = ({ data }: PrintedRecord): readonly PrintedRecord[] => {
  if (areRecords(data)) return data
  throw new CommandFailed('The answer does not say what each secret was.')
}

export const addLeakedSecrets = (program: Command): void => {
  const command = program
    .command('leaked-secrets')
    .description('revoke secrets found in the open, read from standard input, with everything that they got')
  defineAdminCommand(command, {
    json: 'print {"data":[…]}, what each was in order',
    examples: ['mintmark leaked-secrets < report.json'],
    run: async ({ api }) => {
      const input = await readStandardInput('the secrets')
      const found = /^\s*\[/.test(input) ? parseReport(input) : parseLines(input)
      if (found === undefined) throw new CommandFailed(WANTED)
      const answer = await api.call(revokeLeakedSecrets, { body: [...found] })
      const rows = rowsOf(answer)
      return { json: answer, forPeople: () => printTable(COLUMNS, rows) }
    },
  })
}
