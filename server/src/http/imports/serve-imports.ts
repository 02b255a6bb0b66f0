// Serves POST /api/v1/imports: takes over the clients of another server, with the ids and secrets that they have.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { importClients } from '../../../../api/imports.ts'
import { type ClientOutcome, formatOutcome } from '../../domain/import/import-outcome.ts'
import { isRefused } from '../../domain/refusal.ts'
import { importClients as runImport } from '../../operations/imports/import-clients.ts'
import { handle, withKey } from '../admin/administer.ts'
import { measureWaits } from '../../ports/work-waits.ts'
import { answerBy } from '../wire/answer-deadline.ts'
import { routeOf } from '../wire/describe.ts'
import { type ImportLimit, makeImportLimit } from './import-limit.ts'
import { readImport } from './import-reader.ts'
import type { AdministrationWire } from '../wire/wire.ts'

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

/** A hook that refuses a caller without the right, and whose turn does not come, before the body is read. */
const requireImportAccess =
  ({ ports, refuser, inTime }: AdministrationWire, limit: ImportLimit) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const origin = await inTime(refuser.recognize(request, importClients.access), answerBy(ports, request.raw))
    if (isRefused(origin)) return refuser.refuse(reply, origin.refusal)
    const turn = await limit.enter(reply.raw, origin.caller)
    return isRefused(turn) ? refuser.refuse(reply, turn.refusal) : undefined
  }

/** The one route whose body is read beside the threads that serve. */
export const serveImports = (app: FastifyInstance, wire: AdministrationWire): void => {
  const { ports, importCell, metrics } = wire
  const limit = makeImportLimit(importCell, ports, measureWaits(metrics, 'imports'))
  const handler = handle<{ readonly answer: Buffer }>(wire.refuser, {
    access: importClients.access,
    run: withKey(async (origin, { body }) => {
      const planned = await readImport(Buffer.isBuffer(body) ? body : null, limit.acquire(), ports)
      if (isRefused(planned)) return planned
      const imported = await runImport(ports, origin, planned)
      return isRefused(imported) ? imported : { answer: await writeAnswer(imported.outcomes, planned.isTrial) }
    }),
    answer: (reply, { answer }) => reply.type('application/json; charset=utf-8').send(answer),
  })
  app.route({
    ...routeOf(importClients),
    onRequest: requireImportAccess(wire, limit),
    onSend: async (_request, reply) => limit.leave(reply.raw),
    validatorCompiler: () => (body: unknown) => ({ value: body }),
    handler,
  })
}
