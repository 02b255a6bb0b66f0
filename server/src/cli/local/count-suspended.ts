// How many agents, credentials and API keys, in words and in JSON.
import type { Suspended } from '../../domain/restore.ts'
import { formatCount } from '../terminal/format-count.ts'

export const formatSuspended = ({ agents, credentials, apiKeys }: Suspended): string =>
  `${formatCount(agents, 'agent')}, ${formatCount(credentials, 'credential')} and ${formatCount(apiKeys, 'API key')}`

export const suspendedRecord = ({ agents, credentials, apiKeys }: Suspended) => ({
  agents,
  credentials,
  api_keys: apiKeys,
})
