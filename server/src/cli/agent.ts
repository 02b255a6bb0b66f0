// mintmark agent
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import * as rows from '../../../api/agents.ts'
import { listTokens } from '../../../api/tokens.ts'
import { GRANT_TYPES } from '../../../api/values/delegation.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { defineAdminCommand, show } from './administer.ts'
import { describeAgent } from './names/describe-agents.ts'
import { addAgentOptions, type AgentOptions, bodyOf, gatherLabels } from './agent-options.ts'
import { addDryRun, describeEnds, type DryRunOption, endingBy } from './dry-run.ts'
import { showAll } from './lists/read-list.ts'
import { type Api, orWhereRefused } from './remote/api.ts'
import { CommandFailed } from './terminal/exit.ts'
import { addOptions, type OptionRows, queryOf } from './terminal/option-rows.ts'
import { warnOfFiles } from './apply/managed-note.ts'
import { areRecords, printLine, type PrintedRecord, printTable } from './terminal/print.ts'
import { addTimeHelp, readExpiry, readTime } from './terminal/time.ts'

const AGENT_ID = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
const COLUMNS = ['agent_id', 'name', 'owner', 'scope', 'disabled_at', 'suspended_at']

type NewLabels = z.input<(typeof rows.createAgent)['body']>['labels']

type Note = { readonly note?: string }

const ofOne = (command: Command): Command =>
  command.argument('<agent-id>', 'the agent, by its id or its name; `mintmark agent list` shows both')

const addCreate = (agent: Command): void =>
  defineAdminCommand<AgentOptions>(
    addAgentOptions(agent.command('create').description('register an agent and make its first secret'), 'create'),
    {
      json: 'print {"agent_id","client_id","client_secret"}',
      examples: [
        'mintmark agent create --name reports --scope "db:read db:write" --default-scope db:read --label team=data',
      ],
      run: async ({ api, options }) => {
        const { name = '', scope = '', ...rest } = bodyOf(options)
        const body = { ...rest, name, scope, labels: rest.labels as NewLabels } // no option of it removes one
        const { agent_id, client_id, client_secret } = await api.call(rows.createAgent, { body })
        return show({ agent_id, client_id, client_secret }, 'Keep the secret: it is shown this once.')
      },
    },
  )

const FILTERS: OptionRows = {
  owner: ['--owner <name>', 'only those of this owner'],
  label: ['--label <key=value>', 'only those with this label (repeatable)', gatherLabels],
  grant_type: ['--grant-type <grant>', 'only those that may use this grant', GRANT_TYPES],
  name_prefix: ['--name-prefix <text>', 'only those whose names open with this text'],
  id_prefix: ['--id-prefix <text>', 'only those whose ids, or those of their credentials, open with this text'],
  unused_since: ['--unused-since <time>', 'only those that got no token since, and existed by then', readTime],
  expires_before: [
    '--expires-before <time>',
    'only those that expire before: so far ahead, such as 90d, or a day',
    readExpiry,
  ],
  q: ['--search <text>', 'those with this id, and those with this text in their name, owner or labels'],
}

const addList = (agent: Command): void => {
  const command = agent
    .command('list')
    .description('list agents by name, all of them unless an option asks for less')
    .addOption(new Option('--disabled', 'only the disabled ones').conflicts('enabled'))
    .option('--enabled', 'only the enabled ones')
  defineAdminCommand<{ readonly disabled?: boolean; readonly enabled?: boolean }>(
    addOptions(addTimeHelp(command), FILTERS),
    {
      json: 'print {"data":[…]}, each agent as `agent show --json` prints it',
      examples: [
        'mintmark agent list',
        'mintmark agent list --label team=data --enabled',
        'mintmark agent list --unused-since 90d',
      ],
      run: ({ api, options }) => {
        const disabled = options.enabled === true ? false : options.disabled
        return showAll(api, rows.listAgents, { query: { disabled, ...queryOf(options, FILTERS) }, columns: COLUMNS })
      },
    },
  )
}

const addShow = (agent: Command): void =>
  defineAdminCommand(ofOne(agent.command('show').description('show one agent')), {
    json: 'print the agent as JSON',
    examples: [`mintmark agent show ${AGENT_ID}`],
    run: async ({ api, args: [id = ''] }) => show(await api.call(rows.showAgent, { path: { id } })),
  })

const PEER_COLUMNS = ['agent_id', 'name', 'owner', 'disabled_at', 'by']

const printPeers = (what: string, answer: PrintedRecord, name: 'subjects' | 'actors'): void => {
  const peers = answer[name]
  if (!areRecords(peers))
    throw new CommandFailed('The answer is no delegation: is the URL that of a service of this version?')
  printLine(peers.length === 0 ? `${what}: none.` : `${what}:`)
  if (peers.length > 0) printTable(PEER_COLUMNS, peers)
  if (answer[`${name}_more`] === true) printLine('There are more.')
}

const addDelegation = (agent: Command): void =>
  defineAdminCommand(
    ofOne(agent.command('delegation').description('show who may act for an agent, and for whom it may')),
    {
      json: 'print the answer of GET /api/v1/agents/{id}/delegation',
      examples: [`mintmark agent delegation ${AGENT_ID}`],
      run: async ({ api, args: [id = ''] }) => {
        const answer = await api.call(rows.showDelegation, { path: { id } })
        return {
          json: answer,
          forPeople: () => {
            printPeers('It may exchange tokens of', answer, 'subjects')
            printPeers('Its tokens may be exchanged by', answer, 'actors')
          },
        }
      },
    },
  )

/**
 * What ends with the oldest tokens of an agent from now on; undefined where nobody holds any on its behalf, or the caller may not
 * look. What others got for its tokens that act for another subject is not counted: no filter finds it.
 */
const warnOfSupersede = async (api: Api, id: string, options: AgentOptions): Promise<string | undefined> => {
  if (bodyOf(options).at_live_tokens_max !== 'supersede') return undefined
  const query = { subject: id, limit: PAGE_RECORDS_MAX }
  const { data } = await orWhereRefused({}, () => api.call(listTokens, { query }))
  const delegated = areRecords(data) ? data.filter(({ agent_id: holder }) => holder !== id).length : 0
  if (delegated === 0) return undefined
  return `Tokens on behalf of this agent that other agents hold: ${delegated}. Each ends with the token that it was got for, also where that is superseded.`
}

const addChange = (agent: Command): void => {
  const command = agent
    .command('change')
    .description('change what is named of an agent; tokens with a scope or resource that it loses end at once')
  defineAdminCommand<AgentOptions & DryRunOption>(addDryRun(addAgentOptions(ofOne(command), 'change')), {
    json: 'print the agent as JSON',
    examples: [
      `mintmark agent change ${AGENT_ID} --owner data --label team=data`,
      `mintmark agent change ${AGENT_ID} --scope db:read --yes`,
    ],
    ...endingBy<AgentOptions & DryRunOption>({
      call: ({ api, args: [id = ''], options }, dryRun) =>
        api.call(rows.changeAgent, { path: { id }, body: { ...bodyOf(options), ...dryRun } }),
      sentence: async (ends, { api, args: [id = ''] }) =>
        ends.reasons.length === 0
          ? null
          : `This ends tokens of agent ${await describeAgent(api, id)} (${ends.reasons.join(', ')}): ${describeEnds(ends)}.`,
      show: async (changed, { api, args: [id = ''], options }) =>
        show(changed, warnOfFiles(changed) ?? (await warnOfSupersede(api, id, options))),
    }),
  })
}

const addDisable = (agent: Command): void =>
  defineAdminCommand<Note & DryRunOption>(
    addDryRun(
      ofOne(agent.command('disable').description('refuse an agent new tokens and end all that it holds, at once')),
    ).option('--note <text>', 'for those who read the audit log and the history'),
    {
      json: 'print the agent as JSON',
      examples: [`mintmark agent disable ${AGENT_ID} --yes`],
      ...endingBy<Note & DryRunOption>({
        call: ({ api, args: [id = ''], options: { note } }, dryRun) =>
          api.call(rows.disableAgent, { path: { id }, body: { note, ...dryRun } }),
        sentence: async (ends, { api, args: [id = ''] }) =>
          `This refuses the agent ${await describeAgent(api, id)} new tokens and ends every token that it holds: ${describeEnds(ends)}.`,
        show: disabled => show(disabled),
      }),
    },
  )

const addEnable = (agent: Command): void =>
  defineAdminCommand<Note>(
    ofOne(
      agent.command('enable').description('let a disabled agent ask for tokens again; ended ones stay ended'),
    ).option('--note <text>', 'for those who read the audit log'),
    {
      json: 'print the agent as JSON',
      examples: [`mintmark agent enable ${AGENT_ID}`],
      run: async ({ api, args: [id = ''], options: { note } }) =>
        show(await api.call(rows.enableAgent, { path: { id }, body: { note } })),
    },
  )

type DeleteOptions = Note & DryRunOption & { readonly json?: boolean }

const addDelete = (agent: Command): void => {
  const command = agent
    .command('delete')
    .description('remove an agent for good and end all that it holds, at once; its name is free again')
  const noted = ofOne(command).option('--note <text>', 'for those who read the audit log and the history')
  defineAdminCommand<DeleteOptions>(addDryRun(noted), {
    json: 'print {"agent_id"}',
    examples: [`mintmark agent delete ${AGENT_ID} --yes`],
    ...endingBy<DeleteOptions>({
      call: async ({ api, args: [id = ''], options: { note, json } }, dryRun) => {
        // Afterwards it has no name any more.
        const isNamed = json !== true && dryRun.dry_run !== true
        const named = isNamed ? { described: await describeAgent(api, id) } : {}
        return { ...named, ...(await api.call(rows.deleteAgent, { path: { id }, query: { note, ...dryRun } })) }
      },
      sentence: async (ends, { api, args: [id = ''] }) =>
        `This removes the agent ${await describeAgent(api, id)} for good and ends every token that it holds: ${describeEnds(ends)}. History keeps its tokens.`,
      show: ({ described }, { args: [id = ''] }) => ({
        json: { agent_id: id },
        forPeople: () =>
          printLine(`The agent ${String(described)} is deleted, and every token that it held has ended.`),
      }),
    }),
  })
}

export const addAgent = (program: Command): void => {
  const agent = program.command('agent').description('the agents that may ask for tokens')
  for (const addTo of [addCreate, addList, addShow, addDelegation, addChange, addDisable, addEnable, addDelete])
    addTo(agent)
}
