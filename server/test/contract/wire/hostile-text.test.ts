// Every operation with hostile text in every place of its request: never a 500, and never a failed honest neighbour.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import type { Document } from '../../../../testkit/services/described.ts'
import { OPERATIONS, type OperationRequest, type World } from '../../../../testkit/callers/every-operation.ts'
import {
  HOSTILE_TEXTS,
  type HostileText,
  type Place,
  placesOf,
  type RawRequest,
  takesCursor,
} from '../../../../testkit/callers/hostile-text.ts'
import { type Answer, askToken, basic, get, introspect, issue, send } from '../../../../testkit/callers/requests.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { isPostgresTested } from '../../../../testkit/stores/store.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

type MaybeRequest = OperationRequest | Promise<OperationRequest>

let world: World
let document: Document
let key: string
let token: string

before(async () => {
  const service = await startServer()
  world = { service, client: await service.createAgent() }
  document = (await get(service, '/openapi.json')).json as Document
  ;({ key } = await service.createApiKey('tokens:introspect'))
  token = await issue(service, world.client)
})

after(() => world.service.close())

/** What the operation needs beside the hostile text. */
const headersFor = async (operation: string): Promise<Headers> => {
  if (operation.includes(' /api/v1/')) return admin(world.service)
  if (/\/oauth\/(?:introspect|revocation-feed)/.test(operation)) return { 'x-api-key': key }
  return operation.includes(' /oauth/') ? basic(world.client.clientId, world.client.clientSecret) : {}
}

/** A cursor of the list, where there is a second page. */
const cursorOf = async (operation: string, { path }: OperationRequest, headers: Headers): Promise<string> => {
  if (!takesCursor(document, operation)) return ''
  const page = await call(world.service, { method: 'GET', path: `${path}?limit=1` }, headers)
  return (page.json as { next_cursor: string | null }).next_cursor ?? ''
}

/** The request, where it is one of those that can be made any number of times. */
const requestOf = async (operation: string, make: (of: World) => MaybeRequest): Promise<OperationRequest> => {
  const request = await make(world)
  return operation === 'POST /api/v1/revocations'
    ? { ...request, body: { ...(request.body as object), dry_run: true } }
    : request
}

const sendRaw = (request: RawRequest, headers: Headers): Promise<Answer> => {
  const { method, path, body } = request
  return send(world.service, {
    method,
    path,
    // Who asks; a place that is a header goes before.
    headers: { ...headers, ...request.headers },
    ...(body !== undefined && { body: Buffer.from(body, 'latin1') }),
  })
}

const assertIssued = async (): Promise<void> => {
  const { status, text } = await askToken(world.service, world.client)
  assert.equal(status, 200, text)
}

const assertIntrospected = async (): Promise<void> => {
  const { status, text } = await introspect(world.service, key, token)
  assert.equal(status, 200, text)
}

const assertAnswered = (answer: Answer, what: string): void => {
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text}`)
  if (answer.status < 400 || answer.json === undefined) return
  const { error, error_description: description } = answer.json as { error: string; error_description: string }
  assert.match(error, /^[a-z_]+$/, what)
  // RFC 6749 §5.2.
  assert.match(description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, what)
}

const tryText = async (place: Place, text: HostileText, headers: Headers): Promise<void> => {
  for (const request of place.with(text)) {
    assertAnswered(await sendRaw(request, headers), `${place.where}: ${text.name}`)
  }
}

/** The first of the texts is a NUL. */
const [NUL, OTHERS] = [HOSTILE_TEXTS.slice(0, 1), HOSTILE_TEXTS.slice(1)]

/** By turns: a third of them on the embedded store; on PostgreSQL a NUL, which it cannot hold, and one other. */
const textsFor = (turn: number): readonly HostileText[] => {
  if (isThorough) return HOSTILE_TEXTS
  if (isPostgresTested()) return [...NUL, ...OTHERS.filter((_, n) => n === turn % OTHERS.length)]
  return HOSTILE_TEXTS.filter((_, n) => (n + turn) % 3 === 0)
}

type Trial = { readonly place: Place; readonly texts: readonly HostileText[]; readonly turn: number }

const tryInTurn = async ({ place, texts }: Trial, headers: Headers): Promise<void> => {
  for (const text of texts) await tryText(place, text, headers)
}

const tryAtOnce = async ({ place, texts }: Trial, headers: Headers): Promise<void> =>
  void (await Promise.all(texts.map(text => tryText(place, text, headers))))

/** All at the same moment, but exports, of which a service takes few at once. */
const tryPlace = async (operation: string, trial: Trial, headers: Headers): Promise<void> => {
  const tryTexts = isExport(operation) ? tryInTurn : tryAtOnce
  // Somebody honest comes before the texts, and somebody after them: who of the two, by turns.
  const honest = [assertIssued, assertIntrospected]
  const [assertFirst, assertLast] = trial.turn % 2 === 0 ? honest : honest.toReversed()
  await Promise.all([assertFirst?.(), tryTexts(trial, headers), assertLast?.()])
}

const isExport = (operation: string): boolean => operation.includes('/exports/')

// Exports first, while there is little to export: each request beside a hostile one makes a token and an entry.
const operations = Object.entries(OPERATIONS).toSorted(([a], [b]) => Number(isExport(b)) - Number(isExport(a)))

for (const [operation, make] of operations) {
  test(`${operation}: hostile text in any place is refused or passed over, and fails nobody else`, async () => {
    const headers = await headersFor(operation)
    const request = await requestOf(operation, make)
    const cursor = await cursorOf(operation, request, headers)
    const places = placesOf(document, operation, { request, cursor })
    assert.ok(places.length >= 5)
    for (const [n, place] of places.entries())
      await tryPlace(operation, { place, texts: textsFor(n), turn: n }, headers)
  })
}
