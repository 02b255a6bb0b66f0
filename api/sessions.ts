// Sessions of operators in the console, for administrators who end them.
import { z } from 'zod'
import { LATER, MADE, OPERATOR } from './examples.ts'
import { listing, textOrNull, time, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'

const sessionRecord = z.object({
  id: uuid,
  operator: z.object({
    iss: z.string().describe('The identity provider.'),
    sub: z.string(),
    name: textOrNull.describe('As the identity provider calls the operator.'),
  }),
  created_at: time,
  used_at: time.describe('Of the last request, to the minute.'),
  expires_at: time.describe(
    'When it ends without a further request, or must have been renewed at the identity provider.',
  ),
})

const example = {
  id: '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e',
  operator: { iss: OPERATOR.iss, sub: OPERATOR.sub, name: 'Ada' },
  created_at: MADE,
  used_at: MADE,
  expires_at: LATER,
}

export const listSessions = operation({
  route: 'GET /api/v1/sessions',
  id: 'listSessions',
  summary: 'List the sessions of operators in the console',
  access: ACCESS.administerSessions,
  ...listing(sessionRecord, example, {}),
})

export const endSession = operation({
  route: 'DELETE /api/v1/sessions/{id}',
  id: 'endSession',
  summary: 'End a session of an operator in the console',
  access: ACCESS.administerSessions,
  answers: { 204: z.undefined() },
  refusals: [404],
})
