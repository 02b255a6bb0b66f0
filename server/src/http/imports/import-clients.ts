// POST /api/v1/imports: takes over the clients of another server, with the ids and secrets that they have.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import type { ClientOutcome } from '../../domain/import/import-outcome.ts'
import { LEFT_OUT_MAX } from '../../../../api/values/bounds.ts'
import { formatOutcome } from '../../domain/import/import-record.ts'
import { isRefused } from '../../domain/refusal.ts'
import { importClients } from '../../operations/imports/import-clients.ts'
import { type AdministrationInput, makeAdministrationHandler, requireAccess } from '../admin/administer.ts'
import type { ImportLimit } from './import-limit.ts'
import { readImport } from './import-reader.ts'
import type { AdministrationWire } from '../wire/wire.ts'

const outcome = z.object({
  client_id: z.string(),
  outcome: z.enum(['imported', 'exists', 'skipped', 'refused']),
  reason: z.string().nullable().describe('Why it was skipped or refused, as a code.'),
  description: z.string().nullable().describe('The same for people.'),
  agent_id: z.string().nullable().describe('Null unless it was imported, and in a dry run.'),
  name: z.string().nullable(),
  secret: z
    .enum(['kept', 'converted_at_first_use', 'new'])
    .nullable()
    .describe('What becomes of its secret; null unless it is imported.'),
  client_secret: z.string().nullable().describe('A new one, shown this once.'),
  scope: z.string().nullable(),
  default_scope: z.string().nullable(),
  resources: z.array(z.string()),
  disabled: z.boolean(),
  scopes_left_out: z
    .array(z.string())
    .describe(`Scopes of it that have no counterpart here, the first ${LEFT_OUT_MAX}.`),
  audiences_left_out: z
    .array(z.string())
    .describe(`Audiences of it that are no absolute URIs, the first ${LEFT_OUT_MAX}.`),
})

export const importAnswer = z.object({
  dry_run: z.boolean(),
  data: z.array(outcome).describe('What became of each client, in the order of the document.'),
})

/** Outcomes that are written in one turn of the event loop. */
const OUTCOMES_AT_ONCE = 50

/** The answer as it is sent. It may have megabytes, and others are served meanwhile. */
const writeAnswer = async (outcomes: readonly ClientOutcome[], isTrial: boolean): Promise<Buffer> => {
  const parts = [Buffer.from(`{"dry_run":${isTrial},"data":[`)]
  for (let from = 0; from < outcomes.length; from += OUTCOMES_AT_ONCE) {
    const some = outcomes.slice(from, from + OUTCOMES_AT_ONCE).map(one => JSON.stringify(formatOutcome(one, isTrial)))
    parts.push(Buffer.from(`${from === 0 ? '' : ','}${some.join(',')}`))
    await nextTurn()
  }
  return Buffer.concat([...parts, Buffer.from(']}')])
}

/** A hook that turns away who may not import, and who would be a second, before the body is read. */
export const requireImportAccess = (wire: AdministrationWire, limit: ImportLimit) => {
  const recognise = requireAccess(wire, ACCESS.writeAgents)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const refused = await recognise(request, reply)
    if (refused !== undefined) return refused
    const place = limit.enter(reply.raw)
    return isRefused(place) ? wire.refuser.refuse(reply, place.refusal) : undefined
  }
}

export const makeImportHandler = ({ ports, refuser }: AdministrationWire, limit: ImportLimit) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: async (origin, { body }: AdministrationInput<unknown>) => {
      const planned = await readImport(Buffer.isBuffer(body) ? body : null, limit.hold())
      if (isRefused(planned)) return planned
      const imported = await importClients(ports, origin, planned)
      return isRefused(imported) ? imported : { answer: await writeAnswer(imported.outcomes, planned.isTrial) }
    },
    answer: (reply, { answer }) => reply.type('application/json; charset=utf-8').send(answer),
  })
