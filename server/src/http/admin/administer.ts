// In this folder: the administration API: binds each row of api/ to its operation, for HTTP and for commands on the local store.
// What every operation of the administration does over HTTP: recognize the caller, refuse bad input, answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { fillPath, methodOf, type Operation } from '../../../../api/operation.ts'
import type { Access } from '../../../../api/values/access.ts'
import type { Origin } from '../../domain/caller.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { readIdempotencyKey } from '../wire/idempotency-key.ts'
import { compileValidator, queryParser, type RawFields } from '../wire/fields.ts'
import { makeJsonReader } from '../wire/json-body.ts'
import type { RefusedInput } from '../wire/refused-input.ts'
import type { Refuser } from '../wire/refusals.ts'
import { routeOf } from '../wire/describe.ts'
import type { AdministrationWire } from '../wire/wire.ts'
import type { ActBinding, Answered, Binding, Input, ListBinding, PageAnswer } from './binding.ts'

/** A hook that refuses unauthorized callers before their body is read, for routes whose bodies are large. The handler checks again. */
const requireAccess =
  ({ refuser, inTime }: AdministrationWire, access: Access) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const origin = await inTime(refuser.recognize(request, access))
    return isRefused(origin) ? refuser.refuse(reply, origin.refusal) : undefined
  }

type Handling<Found extends object> = {
  readonly access: Access
  readonly run: (origin: Origin, request: FastifyRequest) => Promise<OrRefusal<Found>>
  readonly answer: (reply: FastifyReply, found: Found) => FastifyReply
}

/** The handler of one operation. Its route attaches refused input: a caller that is not recognized hears 401 first. */
const handle =
  <Found extends object>(refuser: Refuser, { access, run, answer }: Handling<Found>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const origin = await refuser.recognize(request, access)
    if (isRefused(origin)) return refuser.refuse(reply, origin.refusal)
    if (request.validationError !== undefined) return refuser.fail(reply, request.validationError)
    const found = await run(origin, request)
    return isRefused(found) ? refuser.refuse(reply, found.refusal) : answer(reply, found)
  }

/** An act may carry a key, so that a repeat of it creates nothing again. */
const withKey =
  <Found extends object>(run: (origin: Origin, request: FastifyRequest) => Promise<OrRefusal<Found>>) =>
  async (origin: Origin, request: FastifyRequest): Promise<OrRefusal<Found>> => {
    const key = readIdempotencyKey(request)
    return isRefused(key) ? key : run({ ...origin, ...key }, request)
  }

const inputOf = (request: FastifyRequest): Input => ({
  path: request.params as Input['path'], // Fastify's router made it
  query: request.query,
  body: request.body,
})

/** The same list with the same filters from the cursor on. Built from configuration: Host is the caller's word. */
const nextPageOf = (address: string, url: string, cursor: string): string => {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  query.set('cursor', cursor)
  return `<${address}?${query.toString()}>; rel="next"`
}

/** What an operation of the administration asks of its caller. */
export const accessOf = ({ id, access }: Operation): Access => {
  if (typeof access === 'object') return access
  throw new Error(`${id} is not an operation of the administration.`)
}

const readNoQuery = queryParser(z.object({}))
const readNoBody = makeJsonReader(z.strictObject({}).default({}))

/**
 * Refuses what stands where the operation reads nothing: a dry run that is asked for in the query in place of the body, or in the
 * body in place of the query, would be the act.
 */
const refuseUnread = (row: Operation, { query, body }: FastifyRequest): RefusedInput | undefined => {
  if (methodOf(row) === 'GET') return undefined
  if (row.query === undefined) {
    const asked = readNoQuery(query as RawFields) // as READING parses it
    if ('error' in asked) return asked.error
  }
  // Many clients name the type of a body that they do not send.
  if (row.body !== undefined || !Buffer.isBuffer(body) || body.length === 0) return undefined
  const said = readNoBody(body)
  return 'error' in said ? said.error : undefined
}

const makeActHandler = ({ ports, refuser }: AdministrationWire, { row, run }: ActBinding) =>
  handle<Answered>(refuser, {
    access: accessOf(row),
    run: withKey(async (origin, request) => refuseUnread(row, request) ?? run(ports, origin, inputOf(request))),
    answer: (reply, { status, location, body }) => {
      if (location !== undefined) void reply.header('location', ports.profile.issuer + location)
      return reply.code(status).send(body)
    },
  })

const makeListHandler = ({ ports, refuser }: AdministrationWire, { row, run }: ListBinding) =>
  handle<PageAnswer>(refuser, {
    access: accessOf(row),
    run: ({ caller }, request) => run(ports, caller, inputOf(request)),
    answer: (reply, page) => {
      const { request } = reply
      if (page.next_cursor !== null) {
        const address = ports.profile.issuer + fillPath(row, inputOf(request).path)
        void reply.header('link', nextPageOf(address, request.url, page.next_cursor))
      }
      return reply.send(page)
    },
  })

/** A body that may hold more values than others is read only from an authorized caller. */
const limitsOf = (wire: AdministrationWire, row: Operation) => {
  const { body, bodyValues } = row
  if (body === undefined || bodyValues === undefined) return {}
  const readBody = makeJsonReader(body, bodyValues)
  const validatorCompiler = (part: Parameters<typeof compileValidator>[0]) =>
    part.httpPart === 'body' ? readBody : compileValidator(part)
  return { onRequest: requireAccess(wire, accessOf(row)), validatorCompiler }
}

/** Serves each of them at the route of its row. */
export const serveBindings = (app: FastifyInstance, wire: AdministrationWire, bindings: readonly Binding[]): void => {
  for (const binding of bindings) {
    const handler = binding.kind === 'act' ? makeActHandler(wire, binding) : makeListHandler(wire, binding)
    app.route({ ...routeOf(binding.row), ...limitsOf(wire, binding.row), handler })
  }
}
