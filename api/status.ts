// The state of the service: whether it runs and can serve, and all of it on one page.
import { z } from 'zod'
import { AGENT_ID, CREDENTIAL_ID, LATER, MADE } from './examples.ts'
import { count, countOrNull, textOrNull, time, timeOrNull, uuid, uuidOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { CHECK_NAMES, CHECK_STATUSES, FORWARDED_STATES } from './values/checks.ts'
import { EXPIRING_DAYS, EXPIRING_MAX } from './values/status.ts'

const reason = z.string().optional().describe('For people; it may change. Not there where the status is ok.')

export const components = z
  .array(
    z.discriminatedUnion('name', [
      z.object({ name: z.literal('store'), status: z.enum(['ok', 'unavailable']), reason }),
      z.object({
        name: z.literal('identity_provider'),
        issuer: z.url(),
        status: z
          .enum(['ok', 'stale', 'unavailable'])
          .describe('`stale`: newer keys cannot be read, and those that were read before are believed for now.'),
        reason,
      }),
      z
        .object({ name: z.literal('trusted_issuers'), status: z.enum(['ok', 'stale', 'unavailable']), reason })
        .describe('All that are not disabled, the worst of their states; only where there are some.'),
      z
        .object({ name: z.literal('suspensions'), status: z.literal('warning'), reason })
        .describe(
          'Only while agents, credentials, API keys or trusted issuers wait, since a restore, for an operator to accept them.',
        ),
      z.object({
        name: z.literal('check'),
        check: z.enum(CHECK_NAMES).describe('One of the checks of `mintmark doctor` that need no network.'),
        status: z.enum(CHECK_STATUSES),
        reason,
      }),
      z.object({
        name: z.literal('forwarded_address'),
        status: z
          .enum(FORWARDED_STATES)
          .describe(
            'Of a request with Forwarded or X-Forwarded-For: whether the address there is believed. `test_address_believed`: it is 192.0.2.1, which only a forged header has.',
          ),
      }),
    ]),
  )
  .optional()
  .describe('With `?verbose`. Being ready depends on the store alone.')

const healthAnswer = z.object({ status: z.literal('ok') })

const readyAnswer = healthAnswer.extend({ components })

const unreadyAnswer = z.object({ status: z.literal('unavailable'), reason: z.string(), components })

export const checkAlive = operation({
  route: 'GET /livez',
  id: 'checkAlive',
  summary: 'Whether the process runs',
  access: 'anyone',
  answers: { 200: healthAnswer },
  example: { answer: { status: 'ok' } },
})

export const checkHealth = operation({
  route: 'GET /readyz',
  id: 'checkHealth',
  summary: 'Whether the service can serve',
  access: 'anyone',
  answers: { 200: readyAnswer, 503: unreadyAnswer },
  parameters: ['verbose'],
  example: { answer: { status: 'ok' } },
})

const status = z.object({
  at: time.describe('By the clock of the store.'),
  version: z.string().describe('Of the program that answers.'),
  agents: count.describe('Agents that are not deleted, disabled ones too.'),
  agents_disabled: count,
  live_tokens: countOrNull.describe(
    'All that introspection reports active, as of `live_tokens_at`. Null: they are too many to be counted right now, because many end at this moment.',
  ),
  live_tokens_at: timeOrNull.describe(
    'A moment ago; with a million live tokens and more up to 30 s, and two more for each million.',
  ),
  tokens_last_minute: count,
  tokens_last_hour: count,
  tokens_last_day: count,
  refusals: count.describe(
    'Token requests of the last hour that were refused although the agent had authenticated itself.',
  ),
  failed_authentications: count.describe('Of the last hour, of every kind.'),
  signing_keys: z
    .array(z.object({ state: z.enum(['next', 'current', 'retained']), created_at: time }))
    .describe('The oldest key in each state.'),
  credentials_expiring: count.describe(`Within ${EXPIRING_DAYS} days.`),
  api_keys_expiring: count.describe(`Within ${EXPIRING_DAYS} days.`),
  agents_suspended: count.describe('By a restore from a backup, until `mintmark restore accept`: they get no token.'),
  credentials_suspended: count,
  api_keys_suspended: count,
  issuers_suspended: count,
  revocations_open: count.describe('Acts whose tokens are all dead, and whose records are still being updated.'),
  oldest_open_revocation_at: timeOrNull,
  audit_entries_unsealed: count,
})

export const showStatus = operation({
  route: 'GET /api/v1/status',
  id: 'showStatus',
  summary: 'Show the state of the service',
  access: ACCESS.readUsage,
  answers: { 200: status },
  example: {
    answer: {
      at: LATER,
      version: '0.1.0',
      agents: 412,
      agents_disabled: 3,
      live_tokens: 51_230,
      live_tokens_at: LATER,
      tokens_last_minute: 1_204,
      tokens_last_hour: 70_311,
      tokens_last_day: 1_480_220,
      refusals: 17,
      failed_authentications: 4,
      signing_keys: [{ state: 'current', created_at: MADE }],
      credentials_expiring: 2,
      api_keys_expiring: 0,
      agents_suspended: 0,
      credentials_suspended: 0,
      api_keys_suspended: 0,
      issuers_suspended: 0,
      revocations_open: 0,
      oldest_open_revocation_at: null,
      audit_entries_unsealed: 1,
    },
  },
})

const expiringRecord = z.object({
  kind: z.enum(['credential', 'api_key']),
  id: uuid,
  name: z.string(),
  agent_id: uuidOrNull.describe('Whose credential it is; null: it is an API key.'),
  agent_name: textOrNull,
  expires_at: time,
  last_used_at: timeOrNull.describe('At most a minute behind; null: never.'),
})

export const listExpiring = operation({
  route: 'GET /api/v1/status/expiring',
  id: 'listExpiring',
  summary: 'List the credentials and API keys that expire soon',
  access: ACCESS.readUsage,
  answers: {
    200: z.object({
      data: z
        .array(expiringRecord)
        .describe(
          `Those that are not revoked and expire within ${EXPIRING_DAYS} days, soonest first, at most ${EXPIRING_MAX}.`,
        ),
    }),
  },
  example: {
    answer: {
      data: [
        {
          kind: 'credential',
          id: CREDENTIAL_ID,
          name: 'second',
          agent_id: AGENT_ID,
          agent_name: 'reports',
          expires_at: '2026-11-25T00:00:00.000Z',
          last_used_at: LATER,
        },
      ],
    },
  },
})
