// mintmark credential
import { type Command, Option } from 'commander'
import * as rows from '../../../api/credentials.ts'
import { CREDENTIAL_REASONS, type CredentialReason } from '../../../api/values/credentials.ts'
import { describeAgent } from './names/describe-agents.ts'
import { defineAdminCommand, show } from './administer.ts'
import { addTrustOptions, trustOf, type TrustOptions } from './credential-options.ts'
import { addDryRun, describeEnds, type DryRunOption, endingBy } from './dry-run.ts'
import { showAll } from './lists/read-list.ts'
import { type Api, orWhereRefused } from './remote/api.ts'
import { addExpiry, addRotateOptions, type RotateOptions, rotationOf, showRotation } from './rotation.ts'
import { CommandFailed } from './terminal/exit.ts'

const AGENT_ID = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
const CREDENTIAL_ID = '0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11'

const COLUMNS = [
  'credential_id',
  'name',
  'kind',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'suspended_at',
  'live_tokens',
]

const ofAgent = (command: Command): Command =>
  command.argument('<agent-id>', 'the agent, by its id or its name; `mintmark agent list` shows both')

const ofOne = (command: Command): Command =>
  command
    .argument('<agent-id>', 'the agent, by its id or its name')
    .argument('<credential-id>', 'the credential, by its id or its name; `mintmark credential list` shows both')

const pathOf = ([agentId = '', credentialId = '']: readonly string[]) => ({
  agent_id: agentId,
  credential_id: credentialId,
})

type CreateOptions = TrustOptions & { readonly name: string; readonly expiresIn?: string }

const addCreate = (credential: Command): void => {
  const command = ofAgent(
    credential
      .command('create')
      .description('give an agent another secret beside those that it has, or something to trust in place of one'),
  ).requiredOption('--name <name>', 'a name to know it by')
  defineAdminCommand<CreateOptions>(addTrustOptions(addExpiry(command, 'it')), {
    json: 'print {"credential_id","agent_id","client_secret"}; "kind" where it is no secret',
    examples: [
      `mintmark credential create ${AGENT_ID} --name "second site" --expires-in 90d`,
      `mintmark credential create ${AGENT_ID} --name "its own key" --jwks-file client.jwks.json`,
      `mintmark credential create ${AGENT_ID} --name deploys --issuer https://token.actions.githubusercontent.com --subject repo:acme/site:ref:refs/heads/main`,
      `mintmark credential create ${AGENT_ID} --name "its certificate" --subject-dn "CN=reports,O=Example,C=DE"`,
    ],
    run: async ({ api, args: [agentId = ''], options }) => {
      const trust = await trustOf(options)
      const body = { name: options.name, expires_at: options.expiresIn, ...trust }
      const made = await api.call(rows.createCredential, { path: { agent_id: agentId }, body })
      const { credential_id, agent_id, kind, client_secret } = made
      if (Object.keys(trust).length > 0) return show({ credential_id, agent_id, kind })
      if (typeof client_secret !== 'string') throw new CommandFailed('The answer holds no secret.')
      return show({ credential_id, agent_id, client_secret }, 'Keep the secret: it is shown this once.')
    },
  })
}

const addList = (credential: Command): void =>
  defineAdminCommand(
    ofAgent(
      credential.command('list').description('list the credentials of an agent, the revoked and expired ones too'),
    ),
    {
      json: 'print {"data":[…]}',
      examples: [`mintmark credential list ${AGENT_ID}`],
      run: ({ api, args: [agentId = ''] }) =>
        showAll(api, rows.listCredentials, { path: { agent_id: agentId }, columns: COLUMNS }),
    },
  )

const addShow = (credential: Command): void =>
  defineAdminCommand(
    ofOne(credential.command('show').description('show one credential, and how many live tokens it got')),
    {
      json: 'print the credential as JSON',
      examples: [`mintmark credential show ${AGENT_ID} ${CREDENTIAL_ID}`],
      run: async ({ api, args }) => show(await api.call(rows.showCredential, { path: pathOf(args) })),
    },
  )

const addRotate = (credential: Command): void => {
  const command = ofOne(
    credential
      .command('rotate')
      .description('make a new secret and let the old one live for a while; no token ends by it'),
  )
  defineAdminCommand<RotateOptions>(addRotateOptions(command), {
    json: 'print {"credential_id","agent_id","client_secret"}',
    examples: [`mintmark credential rotate ${AGENT_ID} ${CREDENTIAL_ID} --grace 24h`],
    ends: true, // the old one, at the latest after the grace
    rotates: true,
    run: async ({ api, args, options }) => {
      const body = rotationOf(options)
      const { credential_id, agent_id, client_secret, replaces } = await api.call(rows.rotateCredential, {
        path: pathOf(args),
        body,
      })
      return showRotation({ credential_id, agent_id, client_secret }, replaces, 'secret')
    },
  })
}

/** `0b9c… (second)`, or the id alone for a caller who may not look. */
const describeCredential = async (api: Api, args: readonly string[]): Promise<string> => {
  const [, id = ''] = args
  const { name } = await orWhereRefused({}, () => api.call(rows.showCredential, { path: pathOf(args) }))
  return typeof name === 'string' ? `${id} (${name})` : id
}

type RevokeOptions = DryRunOption & {
  readonly reason: CredentialReason
  readonly keepTokens?: boolean
  readonly note?: string
}

const addRevoke = (credential: Command): void => {
  const reasonOption = new Option('--reason <reason>', 'what its tokens end with')
  const command = ofOne(
    credential.command('revoke').description('refuse a credential from now on, and end the tokens that it got'),
  )
    .addOption(reasonOption.choices(CREDENTIAL_REASONS).default(CREDENTIAL_REASONS[0]))
    .option('--keep-tokens', 'let the tokens that it got live on')
    .option('--note <text>', 'for those who read the audit log and the history')
  defineAdminCommand<RevokeOptions>(addDryRun(command), {
    json: 'print the credential as JSON',
    examples: [`mintmark credential revoke ${AGENT_ID} ${CREDENTIAL_ID} --reason secret_leaked --yes`],
    ...endingBy<RevokeOptions>({
      call: ({ api, args, options: { reason, keepTokens = false, note } }, dryRun) => {
        const body = { reason, keep_tokens: keepTokens, note, ...dryRun }
        return api.call(rows.revokeCredential, { path: pathOf(args), body })
      },
      sentence: async (ends, { api, args, options: { keepTokens = false } }) => {
        const agent = await describeAgent(api, args[0])
        const refuses = `This refuses the credential ${await describeCredential(api, args)} of the agent ${agent} from now on`
        if (keepTokens) return `${refuses}; the tokens that it got live on.`
        return `${refuses} and ends every token that it got: ${describeEnds(ends)}.`
      },
      show: revoked => show(revoked),
    }),
  })
}

export const addCredential = (program: Command): void => {
  const credential = program
    .command('credential')
    .description('the secrets of an agent, and what it may present in place of one')
  for (const addTo of [addCreate, addList, addShow, addRotate, addRevoke]) addTo(credential)
}
