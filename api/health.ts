// Whether the process runs, and whether it can serve.
import { z } from 'zod'
import { operation } from './operation.ts'

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
