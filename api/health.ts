// Whether the process runs, and whether it can serve.
import { z } from 'zod'
import { operation } from './operation.ts'
import { CHECK_NAMES, CHECK_STATUSES, FORWARDED_STATES } from './values/checks.ts'

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
