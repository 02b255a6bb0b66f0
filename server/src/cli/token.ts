// mintmark token
import { type Command, Option } from 'commander'
import { exportHistory, exportTokens } from '../../../api/exports.ts'
import * as rows from '../../../api/tokens.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { TOKEN_REVOCATION_REASONS } from '../../../api/values/reason.ts'
import { readTokenConfig } from '../config/config.ts'
import { defineAdminCommand, show } from './administer.ts'
import { describeNamed } from './names/describe-agents.ts'
import { exports, leadToExport } from './lists/export-records.ts'
import {
  addFilters,
  addPaging,
  HISTORY_FILTERS,
  type PagingOptions,
  pagingOf,
  TOKEN_FILTERS,
} from './lists/list-options.ts'
import { showPage } from './lists/read-list.ts'
import { type Api, orWhereRefused } from './remote/api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { readDocument } from './terminal/standard-input.ts'
import { queryOf } from './terminal/option-rows.ts'
import { isRecord, type PrintedRecord } from './terminal/print.ts'
import { drawTree } from './terminal/tree.ts'
import { readPastedToken, tokenIn } from './terminal/pasted-token.ts'
import { addExplain } from './token-explain.ts'
import { addGet } from './token-get.ts'
import { findToken, findTokenId, introspect, readTokenId, TOKEN_IN_ARGUMENT, verifyToken } from './token-id.ts'

const TOKEN_ID = '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'
const LIVE_COLUMNS = ['id', 'agent_id', 'agent_name', 'owner', 'scope', 'issued_at', 'expires_at']
const TREE_COLUMNS = ['id', 'agent_name', 'owner', 'scope', 'state', 'termination_reason', 'ended_at']
const ENDED_COLUMNS = ['id', 'agent_id', 'agent_name', 'owner', 'termination_reason', 'ended_at', 'note']

/** On whose behalf each token acts, where one does on behalf of no agent. */
const columnsFor = (tokens: readonly PrintedRecord[]): readonly string[] =>
  tokens.some(({ subject }) => isRecord(subject) && 'issuer' in subject) ? ['subject'] : []

type CountOptions = PagingOptions & { readonly count?: true }

const addCount = (command: Command): Command =>
  command.addOption(
    new Option('--count', `print how many there are, exactly below ${PAGE_RECORDS_MAX}, and no record`).conflicts([
      'limit',
      'cursor',
    ]),
  )

const addList = (token: Command): void => {
  const list = token.command('list').description('list the tokens that are active now, newest first')
  const command = leadToExport(list, 'token export')
  defineAdminCommand<CountOptions>(addCount(addPaging(addFilters(command, TOKEN_FILTERS))), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens answers it, or {"count","exact"}',
    examples: [
      'mintmark token list --scope db:write --limit 20',
      'mintmark token list --scope db:write --count',
      'mintmark token list --subject acme:00u1a2b3',
    ],
    run: async ({ api, options }) => {
      const filters = queryOf(options, TOKEN_FILTERS)
      if (options.count === true) return show(await api.call(rows.countTokens, { query: filters }))
      const query = { ...filters, ...pagingOf(options) }
      return showPage(api, rows.listTokens, { query, columns: LIVE_COLUMNS, columnsFor })
    },
  })
}

const addHistory = (token: Command): void => {
  const list = token
    .command('history')
    .description('list the tokens that have ended, by whatever cause, latest end first')
  const command = leadToExport(list, 'token export-history')
  defineAdminCommand<CountOptions>(addCount(addPaging(addFilters(command, HISTORY_FILTERS))), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens/history answers it, or {"count","exact"}',
    examples: ['mintmark token history --reason manual_revocation,agent_disabled'],
    run: async ({ api, options }) => {
      const filters = queryOf(options, HISTORY_FILTERS)
      if (options.count === true) return show(await api.call(rows.countHistory, { query: filters }))
      const query = { ...filters, ...pagingOf(options) }
      return showPage(api, rows.listHistory, { query, columns: ENDED_COLUMNS, columnsFor })
    },
  })
}

const ofOne = (command: Command): Command =>
  command.argument(
    '[token-id]',
    'the id of the token, which is its jti; - or none to paste the token itself',
    readTokenId,
  )

const addShow = (token: Command): void =>
  defineAdminCommand(ofOne(token.command('show').description('show the whole life of one token, live or ended')), {
    json: `print the answer of ${rows.showToken.route}`,
    examples: [`mintmark token show ${TOKEN_ID}`],
    run: async ({ api, args: [given] }) =>
      show(await api.call(rows.showToken, { path: { id: await findTokenId(given) } })),
  })

const addLineage = (token: Command): void => {
  const command = token
    .command('lineage')
    .description('show the tree of a token: the token that was got first, and all that were got for it or for those')
  defineAdminCommand<PagingOptions>(addPaging(ofOne(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/tokens/{id}/lineage answers it',
    examples: [`mintmark token lineage ${TOKEN_ID}`],
    run: async ({ api, args: [given], options }) => {
      const path = { id: await findTokenId(given) }
      return showPage(api, rows.listLineage, {
        path,
        query: pagingOf(options),
        columns: TREE_COLUMNS,
        columnsFor,
        layOut: drawTree,
      })
    },
  })
}

type IntrospectOptions = { readonly tokenFile?: string }

const readToken = async ({ tokenFile }: IntrospectOptions, given: string | undefined): Promise<string> => {
  if (tokenFile !== undefined && tokenFile !== '-')
    return tokenIn(await readDocument(tokenFile), `in ${JSON.stringify(tokenFile)}`)
  const configured = given === undefined && tokenFile === undefined ? readTokenConfig() : undefined
  return configured ?? (await readPastedToken())
}

/** What stands where a token was typed; it is not repeated. */
const refuseToken = (text: string): string => {
  if (text === '-') return text
  throw new CommandFailed(`A token is never an argument. ${TOKEN_IN_ARGUMENT}`, EXIT.usage)
}

const addIntrospect = (token: Command): void => {
  const command = token
    .command('introspect')
    .description('print whether a token is active; it is pasted, read from standard input, or MINTMARK_TOKEN')
    .argument('[-]', 'a token is no argument; - asks for it, or reads it from standard input', refuseToken)
    .option('--token-file <file>', 'read the token from this file, or - for standard input')
  defineAdminCommand<IntrospectOptions>(command, {
    json: 'print what POST /oauth/introspect/v2 answers',
    examples: ['mintmark token introspect < token.txt', 'mintmark token introspect --token-file token.txt --json'],
    run: async ({ api, args: [given], options }) => {
      const answer = await introspect(api, await readToken(options, given))
      if (typeof answer['active'] !== 'boolean')
        throw new CommandFailed('The answer does not say whether it is active.')
      if (answer['active']) return show(answer)
      return { ...show(answer), failure: new CommandFailed('The token is not active.', EXIT.notActive) }
    },
  })
}

// A caller who may end a token need not be allowed to look at it.
const describe = (api: Api, id: string): Promise<string> =>
  orWhereRefused('1 token, if there is one', async () => {
    const { state, agent_id: agent, agent_name: name, owner } = await api.call(rows.showToken, { path: { id } })
    return `1 token, ${String(state)}, of agent ${describeNamed(agent, name, owner)}`
  })

type RevokeOptions = { readonly reason?: (typeof TOKEN_REVOCATION_REASONS)[number]; readonly note?: string }

const addRevoke = (token: Command): void => {
  const reason = new Option('--reason <reason>', 'what it ends with; the first unless given')
  const command = token.command('revoke').description('end one token, at once; one that has ended stays as it ended')
  // A pasted token is there once, and read before anybody is asked.
  let found: Promise<string> | undefined
  const idOf = (api: Api, [given]: readonly string[]): Promise<string> =>
    (found ??= findToken(given).then(named => verifyToken(api, named)))
  defineAdminCommand<RevokeOptions>(
    ofOne(command)
      .addOption(reason.choices(TOKEN_REVOCATION_REASONS))
      .option('--note <text>', 'for those who read the history later'),
    {
      json: `print the answer of ${rows.revokeTokenById.route}`,
      examples: [`mintmark token revoke ${TOKEN_ID} --note "seen in a public log" --yes`],
      consequence: async ({ api, args }) => {
        const id = await idOf(api, args)
        return `This ends the token ${id}: ${await describe(api, id)}.`
      },
      run: async ({ api, args, options: { reason: because, note } }) =>
        show(
          await api.call(rows.revokeTokenById, {
            path: { id: await idOf(api, args) },
            body: { reason: because, note },
          }),
        ),
    },
  )
}

const addExport = (token: Command): void =>
  exports(token.command('export').description('write all tokens that are active now, newest first'), {
    row: exportTokens,
    filters: TOKEN_FILTERS,
    examples: ['mintmark token export --format csv --output tokens.csv', 'mintmark token export --scope db:write'],
  })

const addExportHistory = (token: Command): void =>
  exports(token.command('export-history').description('write all tokens that have ended, latest end first'), {
    row: exportHistory,
    filters: HISTORY_FILTERS,
    examples: ['mintmark token export-history --ended-after 2026-11-01T00:00:00Z --output history.ndjson'],
  })

export const addToken = (program: Command): void => {
  const token = program.command('token').description('the tokens, live and ended')
  const verbs = [
    addGet,
    addList,
    addHistory,
    addShow,
    addExplain,
    addLineage,
    addIntrospect,
    addRevoke,
    addExport,
    addExportHistory,
  ]
  for (const addTo of verbs) addTo(token)
}
