// What both lists do on the wire: recognise the reader, refuse a bad query, answer a page and the way to the next.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../../../api/values/access.ts'
import type { Administrator } from '../../domain/caller.ts'
import { PAGE_RECORDS_DEFAULT } from '../../../../api/values/lists.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { ListPage, ListRequest } from '../../operations/reading/read-page.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type PathParameter, pathParameterOf } from '../wire/path.ts'
import type { Refuser } from '../wire/refusals.ts'

/** The same list with the same filters from the cursor on. Built from configuration: Host is the caller's word. */
const nextPageOf = (baseUrl: string, path: string, url: string, cursor: string): string => {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  query.set('cursor', cursor)
  return `<${baseUrl}${path}?${query.toString()}>; rel="next"`
}

type List<Query, Filters, Found> = {
  /** Where it has parameters, made of them. */
  readonly path: string | ((parameter: PathParameter) => string)
  readonly access: Access
  readonly filtersOf: (query: Query, parameter: PathParameter) => Filters
  readonly list: (reader: Administrator, request: ListRequest<Filters>) => Promise<OrRefusal<ListPage<Found>>>
  readonly format: (record: Found) => object
  /** Well-formed names that the query asks for and that this version does not know. */
  readonly unknownIn?: (query: Query) => readonly string[]
}

type PagingQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

type PageQuery<Query> = FastifyRequest<{ Querystring: Query }>

/** The handler of a list. Its route attaches a refused query instead of answering: who is not known, hears 401 first. */
export const makeListHandler =
  <Query extends PagingQuery, Filters, Found>(
    ports: AdministrationPorts,
    refuser: Refuser,
    list: List<Query, Filters, Found>,
  ) =>
  async (request: PageQuery<Query>, reply: FastifyReply): Promise<FastifyReply> => {
    const reader = await refuser.recognise(request, list.access)
    if (isRefused(reader)) return refuser.refuse(reply, reader.refusal)
    if (request.validationError !== undefined) return refuser.fail(reply, request.validationError)
    // Fastify's types lose a query that is a type parameter; the validator made it just that.
    const query = request.query as Query
    const parameter = pathParameterOf(request)
    const { limit = PAGE_RECORDS_DEFAULT, cursor = null } = query
    const page = await list.list(reader.caller, { filters: list.filtersOf(query, parameter), limit, cursor })
    if (isRefused(page)) return refuser.refuse(reply, page.refusal)
    const { records, nextCursor } = page
    if (nextCursor !== null) {
      const path = typeof list.path === 'string' ? list.path : list.path(parameter)
      void reply.header('link', nextPageOf(ports.profile.issuer, path, request.url, nextCursor))
    }
    const unknown = list.unknownIn?.(query) ?? []
    return reply.send({
      data: records.map(list.format),
      next_cursor: nextCursor,
      ...(unknown.length > 0 && { unknown }),
    })
  }
