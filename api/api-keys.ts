// API keys: what resource servers and tools call the service with.
import { z } from 'zod'
import { API_KEY_ID, AUDIENCE, GRACE, LATER, MADE } from './examples.ts'
import {
  anyOf,
  choice,
  expiresAt,
  name,
  namedListing,
  nameFilters,
  noteBody,
  resource,
  rotateBody,
  suspendedAt,
  time,
  timeOrNull,
  uuid,
  uuidMember,
} from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS, PERMISSIONS } from './values/access.ts'
import { KEY_AUDIENCES_MAX } from './values/audience.ts'

const apiKeyRecord = z.object({
  api_key_id: uuid,
  name: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  audiences: z.array(z.string()).nullable().describe('Only tokens for one of these exist for the key; null: all do.'),
  created_at: time,
  expires_at: timeOrNull.describe('From then on it is refused; null: never.'),
  last_used_at: timeOrNull.describe('When it was last taken, at most a minute behind; null: never.'),
  revoked_at: timeOrNull,
  suspended_at: suspendedAt,
})

const created = apiKeyRecord.extend({ api_key: z.string().describe('Shown this once.') })

/** The error of a wrong number of them is that of a wrong one. */
const audiences = z
  .array(resource)
  .superRefine(({ length }, context) => {
    if (length >= 1 && length <= KEY_AUDIENCES_MAX) return
    const message = `does not hold 1 to ${KEY_AUDIENCES_MAX} audiences`
    context.addIssue({ code: 'custom', message, params: { error: 'invalid_target' } })
  })
  .meta({ minItems: 1, maxItems: KEY_AUDIENCES_MAX })

const example = {
  api_key_id: API_KEY_ID,
  name: 'billing',
  permissions: ['tokens:introspect'],
  audiences: [AUDIENCE],
  created_at: MADE,
  expires_at: null,
  last_used_at: LATER,
  revoked_at: null,
  suspended_at: null,
}

export const createApiKey = operation({
  route: 'POST /api/v1/api-keys',
  id: 'createApiKey',
  summary: 'Make an API key',
  access: ACCESS.writeKeys,
  body: z.strictObject({
    name: name.describe('A name to know it by.'),
    permissions: z.array(choice(PERMISSIONS)).min(1, { error: 'names no permission' }).describe('What it may do.'),
    audiences: audiences
      .nullish()
      .describe('Limits the key to tokens for one of these. Absent or null: it is not limited.'),
    expires_at: expiresAt,
  }),
  answers: { 201: created },
  example: {
    body: { name: 'billing', permissions: ['tokens:introspect'], audiences: [AUDIENCE] },
    answer: { ...example, last_used_at: null, api_key: 'mma_…' },
  },
})

export const listApiKeys = operation({
  route: 'GET /api/v1/api-keys',
  id: 'listApiKeys',
  summary: 'List API keys',
  access: ACCESS.writeKeys,
  ...namedListing(apiKeyRecord, example, {
    api_key_id: anyOf(uuidMember(), 'Only those with one of these ids; may repeat.'),
    ...nameFilters,
  }),
})

export const showApiKey = operation({
  route: 'GET /api/v1/api-keys/{api_key_id}',
  id: 'showApiKey',
  summary: 'Show an API key',
  access: ACCESS.writeKeys,
  answers: { 200: apiKeyRecord },
  example: { answer: example },
})

export const rotateApiKey = operation({
  route: 'POST /api/v1/api-keys/{api_key_id}/rotate',
  id: 'rotateApiKey',
  summary: 'Replace an API key, with a grace for the old one',
  access: ACCESS.writeKeys,
  body: rotateBody,
  answers: { 201: created.extend({ replaces: z.object({ api_key_id: uuid, expires_at: timeOrNull }) }) },
  example: {
    body: GRACE,
    answer: {
      ...example,
      last_used_at: null,
      api_key: 'mma_…',
      replaces: { api_key_id: 'd4c3b2a1-0f9e-4d8c-9b7a-6f5e4d3c2b1a', expires_at: '2026-11-21T10:30:00.000Z' },
    },
  },
})

export const revokeApiKey = operation({
  route: 'POST /api/v1/api-keys/{api_key_id}/revoke',
  id: 'revokeApiKey',
  summary: 'Revoke an API key',
  access: ACCESS.writeKeys,
  body: noteBody.unwrap(), // an empty object at the least
  answers: { 200: apiKeyRecord },
  example: { body: { note: 'left the team' }, answer: { ...example, revoked_at: LATER } },
})
