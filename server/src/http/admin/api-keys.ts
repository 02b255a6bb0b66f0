// What the operations on API keys do.
import * as api from '../../../../api/api-keys.ts'
import { expiryOf } from '../../../../api/fields.ts'
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import { type ApiKey, apiKeyRecord } from '../../domain/clients/api-key.ts'
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  showApiKey,
} from '../../operations/api-keys/api-keys.ts'
import { bind, bindList, nameFiltersOf } from './binding.ts'

const locationOf = ({ apiKey: { id } }: { readonly apiKey: ApiKey }): string => `/api/v1/api-keys/${id}`

export const bindings = [
  bind(api.createApiKey, {
    run: (ports, origin, { body: { name, permissions, audiences = null, expires_at } }) =>
      createApiKey(ports, origin, { name, permissions, audiences, expiry: expiryOf(expires_at) }),
    answer: ({ apiKey, key }) => ({ ...apiKeyRecord(apiKey), api_key: key }),
    location: locationOf,
  }),
  bindList(api.listApiKeys, {
    filtersOf: query => ({ ids: query.api_key_id ?? [], ...nameFiltersOf(query) }),
    list: listApiKeys,
    format: apiKeyRecord,
  }),
  bind(api.showApiKey, {
    run: (ports, { caller }, { path }) => showApiKey(ports, caller, path.api_key_id),
    answer: apiKeyRecord,
  }),
  bind(api.rotateApiKey, {
    run: (ports, origin, { path, body }) =>
      rotateApiKey(ports, origin, {
        apiKeyId: path.api_key_id,
        graceSeconds: body.grace_seconds,
        expiry: expiryOf(body.expires_at),
      }),
    answer: ({ apiKey, key, replaced }) => ({
      ...apiKeyRecord(apiKey),
      api_key: key,
      replaces: { api_key_id: replaced.id, expires_at: formatTimeOrNull(replaced.expiresAt) },
    }),
    location: locationOf,
  }),
  bind(api.revokeApiKey, {
    run: (ports, origin, { path, body: { note = null } }) => revokeApiKey(ports, origin, path.api_key_id, note),
    answer: apiKeyRecord,
  }),
]
