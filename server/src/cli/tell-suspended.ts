// How many agents, credentials and API keys, in words and in JSON.
import type { Suspended } from '../domain/restore.ts'
import { tellCount } from './tell-count.ts'

export const tellSuspended = ({ agents, credentials, apiKeys }: Suspended): string =>
  `${tellCount(agents, 'agent')}, ${tellCount(credentials, 'credential')} and ${tellCount(apiKeys, 'API key')}`

export const suspendedRecord = ({ agents, credentials, apiKeys }: Suspended) => ({
  agents,
  credentials,
  api_keys: apiKeys,
})
