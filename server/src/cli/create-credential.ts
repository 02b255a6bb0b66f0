// mintmark credential create
import type { Command } from 'commander'
import { defineAdminCommand, show } from './administer.ts'
import { at } from './remote/api.ts'
import { addCertificateOptions, type CertificateOptions, certificateTrustOf } from './certificate-options.ts'
import { parseExpiry } from './terminal/duration.ts'
import { addTrustOptions, trustOf, type TrustOptions } from './trust-options.ts'

type Options = TrustOptions & CertificateOptions & { readonly name: string; readonly expiresIn?: string }

const AGENT = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

export const addCreateCredential = (credential: Command): void => {
  const command = credential
    .command('create')
    .description('give an agent another secret beside those that it has, or something to trust in place of one')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .requiredOption('--name <name>', 'a name to know it by')
    .option('--expires-in <duration>', 'when it stops being taken, such as 90d; without it never', parseExpiry)
  defineAdminCommand<Options>(addCertificateOptions(addTrustOptions(command)), {
    json: 'print {"credential_id","agent_id","client_secret"}; "kind" where it is no secret',
    examples: [
      `mintmark credential create ${AGENT} --name "second site" --expires-in 90d`,
      `mintmark credential create ${AGENT} --name "its own key" --jwks-file client.jwks.json`,
      `mintmark credential create ${AGENT} --name deploys --issuer https://token.actions.githubusercontent.com --subject repo:acme/site:ref:refs/heads/main`,
      `mintmark credential create ${AGENT} --name "its certificate" --subject-dn "CN=reports,O=Example,C=DE"`,
    ],
    run: async ({ api, args: [agentId = ''], options }) => {
      const path = at`/api/v1/agents/${agentId}/credentials`
      const trust = { ...(await trustOf(options)), ...(await certificateTrustOf(options)) }
      const json = { name: options.name, expires_at: options.expiresIn, ...trust }
      const isSecret = Object.keys(trust).length === 0
      const wanted = isSecret ? 'client_secret' : 'kind'
      const made = await api.ask({ method: 'POST', path, json }, 'credential_id', 'agent_id', wanted)
      const { credential_id, agent_id } = made
      const remark = isSecret ? 'Keep the secret: it is shown this once.' : undefined
      return show({ credential_id, agent_id, [wanted]: made[wanted] }, remark)
    },
  })
}
