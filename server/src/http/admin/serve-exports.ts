// Exports over HTTP: recognize the reader, refuse a bad query, read the first page, then send page by page.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExportFormat } from '../../../../api/exports.ts'
import type { Administrator } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Permit } from '../../domain/shares.ts'
import { makeSharedLimit } from '../../operations/group.ts'
import { makeDeadline, type InTime } from '../../ports/deadline.ts'
import { routeOf } from '../wire/describe.ts'
import { makeIdleTime, type IdleTime } from '../wire/idle-time.ts'
import type { AdministrationWire } from '../wire/wire.ts'
import { accessOf } from './administer.ts'
import { type ExportBinding, formatIn, type TextPage } from './export-binding.ts'

// Sends an export: a page is read only once the caller has taken the one before it, and what is not whole never looks so.

type Transfer = {
  readonly response: ServerResponse
  /** The first page, read before the response begins: its success decides on the 200. */
  readonly first: TextPage
  /** Reads the next page at each call. */
  readonly read: () => Promise<TextPage>
  readonly idleTime: IdleTime
  /** How long the caller may take for one page. */
  readonly patience: InTime
}

/** Resolves once the system, or a reader in this process, has taken the whole text, or the connection is no more. */
const handOver = (response: ServerResponse, text: string): Promise<void> =>
  new Promise(resolve => {
    if (text === '' || response.destroyed) return resolve()
    const taken = (): void => {
      response.off('close', taken).off('drain', taken)
      resolve()
    }
    response.once('close', taken)
    const hasRoom = response.write(text, () => hasRoom && taken())
    if (!hasRoom) response.once('drain', taken)
  })

/** A page that is on its way. */
type Sent = { readonly isLast: boolean; readonly handed: Promise<void> }

/**
 * Sends all pages. Throws where one cannot be read or is not taken in time; its caller then destroys the response,
 * so that the last chunk, which says that it was all, is never sent (RFC 9112 §8). `gone`: nobody listens any more.
 */
const sendPages = async ({ response, first, read, ...bounds }: Transfer): Promise<'sent' | 'gone'> => {
  const send = ({ text, isLast }: TextPage): Sent => ({ isLast, handed: handOver(response, text) })
  if (response.destroyed) return 'gone'
  // The first page may be empty, and the next one far.
  response.flushHeaders()
  let sent: Sent | undefined = send(first)
  while (sent !== undefined) {
    await bounds.patience(sent.handed)
    if (response.destroyed) return 'gone'
    if (sent.isLast) {
      response.end()
      return 'sent'
    }
    // Its sending belongs to the step: it takes as long as its reading.
    sent = await bounds.idleTime(async () => (response.destroyed ? undefined : send(await read())))
  }
  return 'gone'
}

/** No export lasts for ever, however slowly it is read. */
const NOT_TAKEN = 'The caller took too long to read a page of the export.'

/** How many exports run in a thread. Each may hold a page in memory for as long as its caller takes to read it. */
const EXPORTS_MAX = 8
const EXPORTS_OF_ONE_MAX = 4
/** What API keys leave to operators. */
const EXPORTS_RESERVED = 2
const SHARES = { permitsMax: EXPORTS_MAX, ofOneMax: EXPORTS_OF_ONE_MAX, reserved: EXPORTS_RESERVED } as const

const MEDIA_TYPES = {
  ndjson: 'application/x-ndjson',
  // RFC 4180 §3.
  csv: 'text/csv; charset=utf-8; header=present',
} as const satisfies Readonly<Record<ExportFormat, string>>

const HTTP_1_1_NEEDED =
  'Ask with HTTP/1.1: an export is sent in its chunks, by which a whole one can be distinguished from one that broke off.'

/** A permit for an export, released when its answer was sent or its connection is no more. */
type Enter = (response: ServerResponse, reader: Administrator) => OrRefusal<Permit>

/** An export that is under way when the server closes would keep it open: its caller asks again elsewhere. */
const makeExportLimit = (app: FastifyInstance, { logger, metrics }: AdministrationWire): Enter => {
  const underWay = new Set<ServerResponse>()
  const publish = () => metrics.set('mintmark_work_waiting', { work: 'exports' }, underWay.size)
  const enter = makeSharedLimit(SHARES, () =>
    logger.warn({ underWayMax: EXPORTS_MAX }, 'exports are refused until others have ended'),
  )
  app.addHook('preClose', done => {
    for (const response of underWay) response.destroy()
    done()
  })
  return (response, reader) => {
    const permit = enter(reader)
    if ('refusal' in permit) return permit
    underWay.add(response)
    publish()
    response.once('close', () => {
      underWay.delete(response)
      publish()
      permit.release()
    })
    return permit
  }
}

type Recognize = () => Promise<OrRefusal<Administrator>>

const authorize = async (request: FastifyRequest, recognize: Recognize): Promise<OrRefusal<Administrator>> => {
  const reader = await recognize()
  if (isRefused(reader)) return reader
  if (request.validationError !== undefined) throw request.validationError
  return request.raw.httpVersion === '1.1' ? reader : refuse('invalid_request', HTTP_1_1_NEEDED)
}

/** Takes the answer out of Fastify's hands, with what it would have sent along. */
const takeOver = (reply: FastifyReply, name: string, format: ExportFormat): void => {
  void reply
    .header('content-type', MEDIA_TYPES[format])
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
    .header('x-content-type-options', 'nosniff')
    .hijack()
  for (const [header, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(header, value)
  }
}

/** The reader lost the permission during the export: the response has begun, and can only be broken off. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

const makeSender = ({ ports, inTime, logger }: AdministrationWire) => {
  // For all of a thread together.
  const idleTime = makeIdleTime(ports.timing)
  const patience = makeDeadline(ports, ports.timing.exportPageMs, NOT_TAKEN)
  /** Goes on by itself: the deadline of an answer holds for its beginning, and then for each page. */
  return async (reply: FastifyReply, first: TextPage, read: () => Promise<TextPage>): Promise<void> => {
    const { raw: response, request } = reply
    if (request.method === 'HEAD') return void response.end()
    try {
      const outcome = await sendPages({ response, first, read: () => inTime(read()), idleTime, patience })
      if (outcome === 'gone') logger.info({ requestId: request.id }, 'an export was not read to its end')
    } catch (err) {
      response.destroy()
      logger.warn({ requestId: request.id, err }, 'an export was broken off')
    }
  }
}

type Sending = { readonly enter: Enter; readonly send: ReturnType<typeof makeSender> }

/** Its route attaches a refused query instead of answering: a caller that is not recognized hears 401 first. */
const makeExportHandler = (wire: AdministrationWire, { enter, send }: Sending, { row, name, run }: ExportBinding) => {
  const { ports, refuser } = wire
  const access = accessOf(row)
  // Returns nothing where it has begun: Fastify would wait for the end of a reply that it is given.
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const recognize: Recognize = async () => {
      const origin = await refuser.recognize(request, access)
      return isRefused(origin) ? origin : origin.caller
    }
    const reader = await authorize(request, recognize)
    if (isRefused(reader)) return refuser.refuse(reply, reader.refusal)
    // Its caller has gone, or was answered 503: no permit is taken, for none would be given back.
    if (reply.raw.destroyed || reply.sent) return undefined
    const permit = enter(reply.raw, reader)
    if (isRefused(permit)) return refuser.refuse(reply, permit.refusal)
    const next = run(ports, { reader, recognize }, request.query)
    const first = await next()
    if (isRefused(first)) return refuser.refuse(reply, first.refusal)
    if (reply.sent) return undefined
    takeOver(reply, name, formatIn(request.query))
    void send(reply, first, async () => {
      const page = await next()
      if (isRefused(page)) throw new Stopped(page.refusal.description)
      return page
    })
    return undefined
  }
}

/** Serves each of them at the route of its row. */
export const serveExports = (
  app: FastifyInstance,
  wire: AdministrationWire,
  bindings: readonly ExportBinding[],
): void => {
  const sending = { enter: makeExportLimit(app, wire), send: makeSender(wire) }
  for (const binding of bindings) {
    app.route({ ...routeOf(binding.row), handler: makeExportHandler(wire, sending, binding) })
  }
}
