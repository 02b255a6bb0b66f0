// mintmark restore replay
import type { Command } from 'commander'
import { deleteAgent, disableAgent } from '../../../../api/agents.ts'
import { blockSubject } from '../../../../api/issuers.ts'
import { revokeApiKey } from '../../../../api/api-keys.ts'
import { revokeCredential } from '../../../../api/credentials.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { defineAdminCommand } from '../administer.ts'
import { type Api, ApiRefusal } from '../remote/api.ts'
import { type LostAct, type LostActs, lostActsIn } from './lost-acts.ts'
import { formatCount, printLine, printTable } from '../terminal/print.ts'
import { readDocument } from '../terminal/standard-input.ts'
import { addTimeHelp, parseTerminalTime } from '../terminal/time.ts'

/** A log of years; a text of JavaScript holds little more. */
const AUDIT_LOG_BYTES_MAX = 469_762_048

type Options = { readonly since: Milliseconds; readonly json?: boolean }

const REPEATS: Readonly<Record<LostAct['kind'], (api: Api, act: LostAct, note: string) => Promise<unknown>>> = {
  'agent.disable': (api, { subject: id }, note) => api.call(disableAgent, { path: { id }, body: { note } }),
  'agent.delete': (api, { subject: id }, note) => api.call(deleteAgent, { path: { id }, query: { note } }),
  'credential.revoke': (api, { subject, agentId, reason }, note) =>
    api.call(revokeCredential, {
      path: { agent_id: agentId, credential_id: subject },
      body: { note, ...(reason === 'secret_leaked' && { reason }) },
    }),
  'api_key.revoke': (api, { subject }, note) =>
    api.call(revokeApiKey, { path: { api_key_id: subject }, body: { note } }),
  'subject.block': (api, { blocked: { issuer: alias, sub } }, note) =>
    api.call(blockSubject, { path: { alias }, body: { sub, note } }),
}

type Result = 'done' | 'not_there'

/** Doing it twice changes nothing. What was made after the backup is not there. */
const doAgain = async (api: Api, act: LostAct): Promise<Result> => {
  try {
    await REPEATS[act.kind](api, act, `Again after a restore, as it was done at ${act.at}.`)
    return 'done'
  } catch (fault) {
    if (fault instanceof ApiRefusal && fault.status === 404) return 'not_there'
    throw fault
  }
}

const COLUMNS = ['result', 'kind', 'subject', 'agent_name', 'owner', 'at']

const report = ({ again, left }: LostActs, results: readonly Result[]): void => {
  const rows = [...again, ...left].map((act, n) => ({ result: results[n] ?? 'left', ...act }))
  if (rows.length > 0) printTable(COLUMNS, rows)
  const done = rows.filter(({ result }) => result === 'done').length
  printLine(`${formatCount(done, 'act')} done again.`)
  if (left.length > 0) {
    printLine(`${formatCount(left.length, 'change')} left to you: look at each before \`mintmark restore accept\`.`)
  }
}

type Row = Readonly<Record<'kind' | 'subject' | 'at', string>>

const rowOf = ({ kind, subject, at }: Row): Row => ({ kind, subject, at })

const readActs = async ([file = '']: readonly string[], { since }: Options): Promise<LostActs> =>
  lostActsIn(await readDocument(file, AUDIT_LOG_BYTES_MAX), since)

export const addReplayRestore = (restore: Command): void => {
  const command = restore
    .command('replay')
    .description(
      'after a restore: disable, delete, revoke and block again what an export of the audit log says was since',
    )
    .argument('<file>', 'what `mintmark audit export` wrote of the store that was lost; - for standard input')
    .requiredOption('--since <time>', 'the time of the backup, as `mintmark restore status` shows it', text =>
      parseTerminalTime(text, 'ago'),
    )
  // The document is there once, and read before anybody is asked.
  let acts: Promise<LostActs> | undefined
  defineAdminCommand<Options>(addTimeHelp(command), {
    json: 'print {"data":[…],"left":[…]}, each with its kind, subject and time, the first with their result',
    examples: ['mintmark restore replay audit.ndjson --since 2026-11-20T03:00:00Z --yes'],
    consequence: async ({ args, options }) => {
      acts = readActs(args, options)
      const { again } = await acts
      return again.length === 0
        ? null
        : `This disables, deletes, revokes or blocks again what ${formatCount(again.length, 'act')} did after that time, and ends what tokens there are of it.`
    },
    run: async ({ api, args, options }) => {
      const lost = await (acts ?? readActs(args, options))
      const results: Result[] = []
      for (const act of lost.again) results.push(await doAgain(api, act))
      const data = lost.again.map((act, n) => ({ result: results[n], ...rowOf(act) }))
      return { json: { data, left: lost.left.map(rowOf) }, forPeople: () => report(lost, results) }
    },
  })
}
