// mintmark token explain: why a token, or a text that should be one, is active or not.
import type { Command } from 'commander'
import { explainToken, explainTokenText } from '../../../api/explanations.ts'
import { parseUuid } from '../../../api/values/uuid.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import type { Api } from './remote/api.ts'
import { readPastedToken } from './terminal/pasted-token.ts'
import { areRecords, isRecord, printLine, type PrintedRecord, printRecord, printTable } from './terminal/print.ts'
import { PASTED, readTokenId } from './token-id.ts'

const TOKEN_ID = '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'
const COLUMNS = ['check', 'outcome', 'evidence']

/** By its id where that is given or pasted; else the text itself goes to the service. */
const explain = async (api: Api, given = PASTED): Promise<PrintedRecord> => {
  const pasted = given === PASTED ? await readPastedToken() : given
  const id = parseUuid(pasted)
  return id === undefined
    ? api.call(explainTokenText, { body: { token: pasted } })
    : api.call(explainToken, { path: { id } })
}

const showExplanation = (explanation: PrintedRecord): Shown => {
  const { code, active, checks, token } = explanation
  const forPeople = (): void => {
    printLine(active === true ? 'Active.' : `Not active: ${String(code)}.`)
    printLine('')
    if (areRecords(checks)) printTable(COLUMNS, checks)
    if (!isRecord(token)) return
    printLine('')
    printRecord(token)
  }
  return { json: explanation, forPeople }
}

export const addExplain = (token: Command): void => {
  const command = token
    .command('explain')
    .description('say why a token is active or not, check by check')
    .argument('[token-id]', 'the id of the token, which is its jti; - or none to paste the token itself', readTokenId)
  defineAdminCommand(command, {
    json: 'print the explanation as GET /api/v1/tokens/{id}/explain answers it',
    examples: [`mintmark token explain ${TOKEN_ID}`, 'mintmark token explain - < token.txt'],
    run: async ({ api, args: [given] }) => showExplanation(await explain(api, given)),
  })
}
