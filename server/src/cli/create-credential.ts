// mintmark credential create
import type { Command } from 'commander'
import { createSecret } from '../operations/create-credential.ts'
import { administer } from './administer.ts'
import { parseDuration } from './duration.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = { readonly name: string; readonly expiresIn?: number; readonly json?: boolean }

const run = async (agentId: string, { name, expiresIn, json }: Options): Promise<void> => {
  const expiry = expiresIn === undefined ? null : { afterMs: 1000 * expiresIn }
  const { credential, clientSecret } = await administer((ports, origin) =>
    createSecret(ports, origin, { agentId, name, expiry }),
  )
  const record = { credential_id: credential.id, agent_id: credential.agentId, client_secret: clientSecret }
  if (json) return printJson(record)
  printRecord(record)
  printLine('Keep the secret: it is shown this once.')
}

export const addCreateCredential = (credential: Command): void => {
  credential
    .command('create')
    .description('give an agent another secret, beside those that it has')
    .argument('<agent-id>', 'the id of the agent; `mintmark agent list` shows it')
    .requiredOption('--name <name>', 'a name to know it by')
    .option('--expires-in <duration>', 'when it stops being taken, such as 90d; without it never', parseDuration)
    .option('--json', 'print {"credential_id","agent_id","client_secret"}')
    .addHelpText(
      'after',
      '\nExample:\n  mintmark credential create 6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10 --name "second site" --expires-in 90d',
    )
    .action(run)
}
