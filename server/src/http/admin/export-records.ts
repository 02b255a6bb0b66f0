// What all exports do on the wire: recognise the reader, refuse a bad query, read the first page, then send page by page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../../../api/values/access.ts'
import type { Administrator } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { ExportReader, NextPage } from '../../operations/reading/export-pages.ts'
import type { ListPage } from '../../operations/reading/read-page.ts'
import { makeDeadline } from '../../ports/deadline.ts'
import { type ExportFormat, type ExportShape, MEDIA_TYPES, textsIn } from './export-format.ts'
import type { ExportLimit } from './export-limit.ts'
import { sendPages, type TextPage } from './export-stream.ts'
import type { AdministrationWire } from '../wire/wire.ts'

/** Who does not take a page within this time is cut off: no export lasts for ever, however slowly it is read. */
const PAGE_TAKEN_MS_MAX = 60_000
const NOT_TAKEN = 'The caller took too long to read a page of the export.'

type Export<Query, Filters, Found, Shown extends object> = ExportShape<Found, Shown> & {
  /** Of the file. */
  readonly name: string
  readonly access: Access
  readonly filtersOf: (query: Query) => Filters
  readonly pages: (caller: ExportReader, filters: Filters) => NextPage<Found>
}

type FormatQuery = { readonly format?: ExportFormat | undefined }

const HTTP_1_1_NEEDED =
  'Ask with HTTP/1.1: an export is sent in its chunks, by which a whole one can be told from one that broke off.'

type Recognise = () => Promise<OrRefusal<Administrator>>

const admit = async (request: FastifyRequest, recognise: Recognise): Promise<OrRefusal<Administrator>> => {
  const reader = await recognise()
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

/** A reader who may read no longer: the answer has begun, and can only break off. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** The handler of an export. Its route attaches a refused query instead of answering: who is not known, hears 401 first. */
export const makeExportHandler = <Query extends FormatQuery, Filters, Found, Shown extends object>(
  wire: AdministrationWire,
  limit: ExportLimit,
  { name, access, filtersOf, pages, ...shape }: Export<Query, Filters, Found, Shown>,
) => {
  const { ports, refuser, inTime, logger } = wire
  const { idleTime } = limit
  const patience = makeDeadline(ports, PAGE_TAKEN_MS_MAX, NOT_TAKEN)

  /** Goes on by itself: the deadline of an answer holds for its beginning, and then for each page. */
  const send = async (reply: FastifyReply, first: TextPage, read: () => Promise<TextPage>): Promise<void> => {
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

  // Gives nothing back where it has begun: Fastify would wait for the end of a reply that it is given.
  return async (
    request: FastifyRequest<{ Querystring: Query }>,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const recognise: Recognise = async () => {
      const origin = await refuser.recognise(request, access)
      return isRefused(origin) ? origin : origin.caller
    }
    const reader = await admit(request, recognise)
    if (isRefused(reader)) return refuser.refuse(reply, reader.refusal)
    // Its caller has gone, or has been told 503: no place is taken, for none would be left.
    if (reply.raw.destroyed || reply.sent) return undefined
    const place = limit.enter(reply.raw)
    if (isRefused(place)) return refuser.refuse(reply, place.refusal)
    // Fastify's types lose a query that is a type parameter; the validator made it just that.
    const query = request.query as Query
    const { format = 'ndjson' } = query
    const { opening, lineOf } = textsIn(format, shape)
    const textOf = ({ records, nextCursor }: ListPage<Found>): TextPage => ({
      text: records.map(lineOf).join(''),
      isLast: nextCursor === null,
    })
    const next = pages({ reader, recognise }, filtersOf(query))
    const found = await next()
    if (isRefused(found)) return refuser.refuse(reply, found.refusal)
    if (reply.sent) return undefined
    const first = textOf(found)
    takeOver(reply, name, format)
    void send(reply, { ...first, text: opening + first.text }, async () => {
      const page = await next()
      if (isRefused(page)) throw new Stopped(page.refusal.description)
      return textOf(page)
    })
    return undefined
  }
}
