// Exports that cannot go on, or whose caller does not: refused before they begin, or broken off so that everybody sees it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageRequest, TokenFilters } from '../../src/domain/lists/page.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import { assertProblem, bearer, get } from '../../../testkit/callers/requests.ts'
import {
  LARGE,
  makeExportWorld,
  NEXT,
  openExport,
  pageOf,
  readExport,
  recordOf,
  TOKENS_EXPORT,
} from '../../../testkit/services/exports.ts'
import type { TestServer } from '../../../testkit/services/test-server.ts'

/** Of one caller. */
const EXPORTS_MAX = 4
/** Of all API keys together; operators have two more. */
const EXPORTS_OF_KEYS_MAX = 6
/** What does not break off must turn the test red, not leave it waiting. */
const WAITING = { timeout: 300_000 }

const exportAll = async (service: TestServer, headers: Readonly<Record<string, string>>) =>
  readExport(await openExport(service, headers))

const brokenOff = (service: TestServer): readonly unknown[] =>
  service
    .log()
    .split('\n')
    .filter(line => line.includes('an export was broken off'))
    .map(line => (JSON.parse(line) as { err: { message: string } }).err.message)

test('the first page cannot be read: 503 with Retry-After, or 500 for a fault, and no export', WAITING, async t => {
  const faults: Error[] = [new Unavailable('The disk is full.'), new TypeError('a bug')]
  const { service, headers } = await makeExportWorld(t, () => Promise.reject(faults.shift()))
  const unavailable = await get(service, TOKENS_EXPORT, headers)
  const again = 'The service cannot answer for certain right now: try again.'
  assertProblem(unavailable, 503, 'temporarily_unavailable', again)
  assert.equal(unavailable.headers['retry-after'], '1')
  assert.equal(unavailable.headers['content-disposition'], undefined)
  assert.equal((await get(service, TOKENS_EXPORT, headers)).status, 500)
})

test(
  'the first page hangs: 503 by the deadline, its late end is no second answer, its place is free',
  WAITING,
  async t => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { service, headers, pass } = await makeExportWorld(t, async (_, number) => {
      if (number > EXPORTS_MAX) return pageOf([recordOf(1)], null)
      if (number === EXPORTS_MAX) reached.resolve()
      await released.promise
      return pageOf([recordOf(1)], null)
    })
    const asked = Array.from({ length: EXPORTS_MAX }, () => get(service, TOKENS_EXPORT, headers))
    await reached.promise
    pass(5000)
    for (const { status } of await Promise.all(asked)) assert.equal(status, 503)
    released.resolve()
    assert.deepEqual(await exportAll(service, headers), { lines: 1, isWhole: true })
  },
)

for (const [name, fault, reason] of [
  ['is unavailable', new Unavailable('The disk is full.'), 'The disk is full.'],
  ['has a fault', new TypeError('a bug'), 'a bug'],
] as const) {
  test(`a page in the middle ${name}: the export breaks off, is not whole, and the log says why`, WAITING, async t => {
    const { service, headers } = await makeExportWorld(t, async (_, number) => {
      if (number === 3) throw fault
      return pageOf([recordOf(number), recordOf(number)])
    })
    assert.deepEqual(await exportAll(service, headers), { lines: 4, isWhole: false })
    assert.deepEqual(brokenOff(service), [reason])
  })
}

test('a page in the middle hangs: the export breaks off by the deadline', WAITING, async t => {
  const reached = Promise.withResolvers<void>()
  const { service, headers, pass } = await makeExportWorld(t, (_, number) => {
    if (number === 1) return Promise.resolve(pageOf([recordOf(1)]))
    reached.resolve()
    return new Promise(() => undefined)
  })
  const exported = exportAll(service, headers)
  await reached.promise
  pass(5000)
  assert.deepEqual(await exported, { lines: 1, isWhole: false })
  assert.deepEqual(brokenOff(service), ['The request took too long. Whether a change was made is unknown.'])
})

test('a whole export may take longer than the deadline of an answer: it holds for each page', WAITING, async t => {
  const { service, headers, pass } = await makeExportWorld(t, async (_, number) => {
    pass(3000)
    return pageOf([recordOf(number)], number === 10 ? null : NEXT)
  })
  assert.deepEqual(await exportAll(service, headers), { lines: 10, isWhole: true })
})

test('an API key that is revoked while it exports gets no further page', WAITING, async t => {
  const world = await makeExportWorld(t, async (_, number) => {
    if (number === 2) await world.service.revokeApiKey(world.id)
    return pageOf([recordOf(number)], number === 9 ? null : NEXT)
  })
  assert.deepEqual(await exportAll(world.service, world.headers), { lines: 2, isWhole: false })
  assert.deepEqual(brokenOff(world.service), ['The API key is unknown, revoked or expired.'])
})

test("an operator's JWT counts as the export begins: it may expire before its end", WAITING, async t => {
  const { service } = await makeExportWorld(t, async (_, number) => {
    if (number === 2) service.clock.advance(3_600_000)
    return pageOf([recordOf(number)], number === 3 ? null : NEXT)
  })
  const operator = bearer(await service.provider.operatorJwt())
  assert.deepEqual(await exportAll(service, operator), { lines: 3, isWhole: true })
  assert.equal((await get(service, TOKENS_EXPORT, operator)).status, 401)
})

test('each page asks for what follows the one before, with the same filters and restriction', WAITING, async t => {
  const seen: PageRequest<TokenFilters>[] = []
  const { service } = await makeExportWorld(t, async asked => {
    seen.push(asked)
    return pageOf([recordOf(1)], seen.length === 3 ? null : { at: 0, id: recordOf(seen.length).id })
  })
  const { key } = await service.createApiKey('tokens:read', ['https://a.example'])
  await get(service, `${TOKENS_EXPORT}?scope=db:read`, { 'x-api-key': key })
  assert.deepEqual(
    seen.map(({ after }) => after?.id),
    [undefined, recordOf(1).id, recordOf(2).id],
  )
  assert.ok(seen.every(({ filters }) => filters.scope === 'db:read'))
  assert.deepEqual(new Set(seen.flatMap(({ audiences }) => audiences)), new Set(['https://a.example']))
})

/** Many turns of the service's event loop. */
const letItRun = async (service: TestServer): Promise<void> => {
  for (let n = 0; n < 30; n += 1) assert.equal((await get(service, '/readyz')).status, 200)
}

test('of an export that nobody reads no page is read ahead', WAITING, async t => {
  const { service, headers, read } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const response = await openExport(service, headers)
  await letItRun(service)
  assert.equal(read(), 1)
  response.destroy()
})

test('a caller who does not take a page within a minute is cut off, and its place is free', WAITING, async t => {
  const { service, headers, read, pass } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const responses = await Promise.all(Array.from({ length: EXPORTS_MAX }, () => openExport(service, headers)))
  await letItRun(service)
  pass(40_000)
  await letItRun(service)
  assert.deepEqual(brokenOff(service), [])
  assert.equal((await get(service, TOKENS_EXPORT, headers)).status, 503)
  pass(20_000)
  // Who reads before the deadline is looked at takes page after page.
  while (brokenOff(service).length < EXPORTS_MAX) await letItRun(service)
  for (const response of responses) assert.equal((await readExport(response)).isWhole, false)
  assert.deepEqual(
    brokenOff(service),
    responses.map(() => 'The caller took too long to read a page of the export.'),
  )
  assert.equal(read(), EXPORTS_MAX)
  const next = await openExport(service, headers)
  next.destroy()
})

test('a caller that goes away stops the reading, also where it takes no page', WAITING, async t => {
  const { service, headers, read } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const left = () => service.log().match(/an export was not read to its end/g)?.length ?? 0
  for (const [n, reading] of [false, true].entries()) {
    const response = await openExport(service, headers)
    response.on('error', () => undefined)
    if (reading) {
      response.resume()
      const before = read()
      while (read() < before + 3) await letItRun(service)
    }
    response.destroy()
    // That it has gone is heard some time later.
    while (left() === n) await letItRun(service)
    const after = read()
    await letItRun(service)
    assert.equal(read(), after)
  }
  assert.equal(left(), 2)
  assert.deepEqual(brokenOff(service), [])
})

test('more exports than one caller may have: 503 at once, nothing is read, and others are served', WAITING, async t => {
  const { service, headers, read } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const responses = await Promise.all(Array.from({ length: EXPORTS_MAX }, () => openExport(service, headers)))
  for (let n = 0; n < 2; n += 1) {
    const refused = await get(service, TOKENS_EXPORT, headers)
    const full = 'This caller has as many requests of this kind under way as one may have: wait until one has ended.'
    assertProblem(refused, 503, 'temporarily_unavailable', full)
    assert.equal(refused.headers['retry-after'], '1')
  }
  assert.equal((await get(service, `${TOKENS_EXPORT}?format=xls`, headers)).status, 400, 'takes no place')
  assert.equal((await get(service, TOKENS_EXPORT)).status, 401, 'takes no place')
  assert.equal(read(), EXPORTS_MAX)
  const { key } = await service.createApiKey('tokens:read')
  const honest = await openExport(service, { 'x-api-key': key })
  responses[0]?.destroy()
  await letItRun(service)
  const next = await openExport(service, headers)
  for (const response of [...responses, honest, next]) response.destroy()
})

test('greedy API keys leave places to operators, and one operator leaves one to another', WAITING, async t => {
  const { service, headers } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const { key } = await service.createApiKey('tokens:read')
  const other = { 'x-api-key': key }
  const greedy = [...Array.from({ length: EXPORTS_MAX }, () => headers), other, other]
  assert.equal(greedy.length, EXPORTS_OF_KEYS_MAX)
  const responses = []
  for (const one of greedy) responses.push(await openExport(service, one))
  const full = 'More requests of this kind are waiting than are taken: try again.'
  assertProblem(await get(service, TOKENS_EXPORT, other), 503, 'temporarily_unavailable', full)
  const first = bearer(await service.provider.operatorJwt({ sub: 'first' }))
  const second = bearer(await service.provider.operatorJwt({ sub: 'second' }))
  responses.push(await openExport(service, first), await openExport(service, second))
  assertProblem(await get(service, TOKENS_EXPORT, first), 503, 'temporarily_unavailable', full)
  assert.equal(service.log().match(/exports are refused until others have ended/g)?.length, 2, 'once for each limit')
  for (const response of responses) response.destroy()
  await letItRun(service)
  const again = await openExport(service, other)
  again.destroy()
})

test('exports that have ended, in whatever way, leave their places', WAITING, async t => {
  const { service, headers } = await makeExportWorld(t, async (_, number) => {
    if (number % 3 === 0) throw new Unavailable('The disk is full.')
    return pageOf([recordOf(number)], number % 3 === 1 ? null : NEXT)
  })
  for (let n = 0; n < 2 * EXPORTS_MAX; n += 1) {
    const ended = [await exportAll(service, headers), await exportAll(service, headers)]
    assert.deepEqual(
      ended.map(({ isWhole }) => isWhole),
      [true, false],
    )
    assert.notEqual((await get(service, TOKENS_EXPORT, { 'x-api-key': 'wrong' })).status, 503)
  }
})

test(
  'pages that hold nothing do not keep the thread from other requests, nor the answer from beginning',
  WAITING,
  async t => {
    let found = false
    // Else the test itself would get no turn, and would not end.
    const pagesMax = 10_000_000
    const { service, headers, read } = await makeExportWorld(t, (_, number) =>
      Promise.resolve(found || number === pagesMax ? pageOf([recordOf(1)], null) : pageOf([])),
    )
    const response = await openExport(service, headers)
    await letItRun(service)
    assert.ok(read() > 1 && read() < pagesMax)
    found = true
    assert.deepEqual(await readExport(response), { lines: 1, isWhole: true })
  },
)

test('an export under way breaks off when the server closes', WAITING, async t => {
  const { service, headers } = await makeExportWorld(t, () => Promise.resolve(LARGE))
  const response = await openExport(service, headers)
  const [read] = await Promise.all([readExport(response), service.close()])
  assert.equal(read.isWhole, false)
})
