// mintmark credential rotate
import { formatTimeOrNull } from '../domain/time.ts'
import type { Command } from 'commander'
import { rotateCredential } from '../operations/rotate-credential.ts'
import { administer } from './administer.ts'
import { parseDuration } from './duration.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = { readonly grace: number; readonly expiresIn?: number; readonly json?: boolean }

const run = async (agentId: string, credentialId: string, options: Options): Promise<void> => {
  const expiry = options.expiresIn === undefined ? null : { afterMs: 1000 * options.expiresIn }
  const rotation = { agentId, credentialId, graceSeconds: options.grace, expiry }
  const { credential, clientSecret, replaced } = await administer((ports, origin) =>
    rotateCredential(ports, origin, rotation),
  )
  const record = { credential_id: credential.id, agent_id: agentId, client_secret: clientSecret }
  if (options.json) return printJson(record)
  printRecord({ ...record, old_one_expires_at: formatTimeOrNull(replaced.expiresAt) })
  printLine('Keep the secret: it is shown this once.')
}

export const addRotateCredential = (credential: Command): void => {
  credential
    .command('rotate')
    .description('make a new secret and let the old one live for a while; no token ends by it')
    .argument('<agent-id>', 'the id of the agent')
    .argument('<credential-id>', 'the id of the old credential')
    .requiredOption('--grace <duration>', 'how long the old one is still taken: 0 to 30d', parseDuration)
    .option('--expires-in <duration>', 'when the new one stops being taken; without it never', parseDuration)
    .option('--json', 'print {"credential_id","agent_id","client_secret"}')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark credential rotate 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --grace 24h',
    )
    .action(run)
}
