// mintmark api-key
import type { Command } from 'commander'
import { addCreateApiKey } from './create-api-key.ts'
import { addListApiKeys } from './list-api-keys.ts'
import { addRevokeApiKey } from './revoke-api-key.ts'
import { addRotateApiKey } from './rotate-api-key.ts'
import { addShowApiKey } from './show-api-key.ts'

export const addApiKey = (program: Command): void => {
  const apiKey = program.command('api-key').description('the API keys of resource servers and tools')
  for (const addTo of [addCreateApiKey, addListApiKeys, addShowApiKey, addRotateApiKey, addRevokeApiKey]) addTo(apiKey)
}
