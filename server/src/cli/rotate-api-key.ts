// mintmark api-key rotate
import { formatTimeOrNull } from '../domain/time.ts'
import type { Command } from 'commander'
import { rotateApiKey } from '../operations/rotate-api-key.ts'
import { administer } from './administer.ts'
import { parseDuration } from './duration.ts'
import { printJson, printLine, printRecord } from './print.ts'

type Options = { readonly grace: number; readonly expiresIn?: number; readonly json?: boolean }

const run = async (apiKeyId: string, options: Options): Promise<void> => {
  const expiry = options.expiresIn === undefined ? null : { afterMs: 1000 * options.expiresIn }
  const rotation = { apiKeyId, graceSeconds: options.grace, expiry }
  const { apiKey, key, replaced } = await administer((ports, origin) => rotateApiKey(ports, origin, rotation))
  const record = { api_key_id: apiKey.id, api_key: key }
  if (options.json) return printJson(record)
  printRecord({ ...record, old_one_expires_at: formatTimeOrNull(replaced.expiresAt) })
  printLine('Keep the key: it is shown this once.')
}

export const addRotateApiKey = (apiKey: Command): void => {
  apiKey
    .command('rotate')
    .description('make a new API key of the same powers and let the old one live for a while')
    .argument('<api-key-id>', 'the id of the old key; `mintmark api-key list` shows it')
    .requiredOption('--grace <duration>', 'how long the old one is still taken: 0 to 30d', parseDuration)
    .option('--expires-in <duration>', 'when the new one stops being taken; without it never', parseDuration)
    .option('--json', 'print {"api_key_id","api_key"}')
    .addHelpText('after', '\nExample:\n  mintmark api-key rotate 0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11 --grace 24h')
    .action(run)
}
