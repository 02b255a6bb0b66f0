// mintmark export agents: what a store holds, in the form that `mintmark apply` reads. No secret is in it.
import { type Command, Option } from 'commander'
import { stringify } from 'yaml'
import { listAgents } from '../../../../api/agents.ts'
import { listCredentials } from '../../../../api/credentials.ts'
import { listIssuers } from '../../../../api/issuers.ts'
import { TRUST_KINDS } from '../../../../api/values/credentials.ts'
import { settingsRecord } from '../../domain/clients/agent-record.ts'
import { BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { defineAdminCommand } from '../administer.ts'
import { askAll } from '../lists/read-list.ts'
import type { Api } from '../remote/api.ts'
import { formatCount, isRecord, printJson, printLine, type PrintedRecord, printRemark } from '../terminal/print.ts'

/** What a record is or was, which no file declares. */
const STATES = ['created_at', 'disabled_at', 'suspended_at', 'managed_by']

const BLANK: PrintedRecord = settingsRecord(BLANK_SETTINGS)

const isDefault = (member: string, value: unknown): boolean => JSON.stringify(BLANK[member]) === JSON.stringify(value)

const agentDocument = ({ agent_id: id, client_id: _client, ...settings }: PrintedRecord): PrintedRecord => ({
  kind: 'agent',
  agent_id: id,
  ...Object.fromEntries(
    Object.entries(settings).filter(([member, value]) => !STATES.includes(member) && !isDefault(member, value)),
  ),
})

const issuerDocument = (issuer: PrintedRecord): PrintedRecord => ({
  kind: 'issuer',
  ...Object.fromEntries(Object.entries(issuer).filter(([member]) => !STATES.includes(member))),
})

/** Null for a secret. */
const credentialDocument = (agent: string, credential: PrintedRecord): PrintedRecord | null => {
  const { name, expires_at: expires, kind } = credential
  const trust = TRUST_KINDS.find(one => one === kind)
  if (trust === undefined) return null
  return {
    kind: 'credential',
    agent,
    name,
    ...(expires !== null && { expires_at: expires }),
    [trust]: withoutNulls(credential[trust]),
  }
}

const withoutNulls = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) : value

/** What is neither revoked nor expired: the rest, no store takes. */
const isLive = ({ revoked_at: revoked, expires_at: expires }: PrintedRecord): boolean =>
  revoked === null && (typeof expires !== 'string' || Date.parse(expires) > Date.now())

type Exported = { readonly documents: readonly PrintedRecord[]; readonly secrets: number }

const readDocuments = async (api: Api): Promise<Exported> => {
  const issuers = await askAll(api, listIssuers, { columns: ['alias'] })
  const agents = await askAll(api, listAgents, { columns: ['agent_id'] })
  const documents = issuers.map(issuerDocument)
  let secrets = 0
  for (const agent of agents) {
    const path = { agent_id: String(agent['agent_id']) }
    const credentials = (await askAll(api, listCredentials, { path, columns: ['credential_id'] })).filter(isLive)
    const declared = credentials.map(one => credentialDocument(path.agent_id, one)).filter(one => one !== null)
    secrets += credentials.length - declared.length
    documents.push(agentDocument(agent), ...declared)
  }
  return { documents, secrets }
}

const YAML = { version: '1.2', schema: 'core', lineWidth: 0 } as const

export const addExport = (program: Command): void => {
  const command = program
    .command('export')
    .description('write what a store holds')
    .command('agents')
    .description(
      'write issuers, agents and credentials as `mintmark apply` reads them; secrets, and what has expired, are left out',
    )
    .addOption(new Option('--format <format>', 'how it is written').choices(['yaml', 'json']).default('yaml'))
  defineAdminCommand<{ readonly format: 'yaml' | 'json' }>(command, {
    examples: ['mintmark export agents', 'mintmark export agents --format json'],
    run: async ({ api, options: { format } }) => {
      const { documents, secrets } = await readDocuments(api)
      if (format === 'json') printJson(documents)
      else for (const document of documents) printLine(`---\n${stringify(document, YAML).trimEnd()}`)
      if (secrets > 0) printRemark(`Left out: ${formatCount(secrets, 'secret')}, which no file holds.`)
      return null
    },
  })
}
