// examples/siem/send-audit-log.sh, as docs/run/siem.md shows it: each entry of the audit log is in the file once, whenever it is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeFolder, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { REPOSITORY } from '../../../../testkit/sources/source-files.ts'

const PROGRAM = join(REPOSITORY, 'examples/siem/send-audit-log.sh')
const KILLS = 25

const scope = scopeOfFile()
const service = useService()
const reader = service.apiKey('audit:read')

let folder = ''
beforeEach(() => {
  folder = makeFolder(scope)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const cursorOf = (): string => join(folder, 'cursor')
const fileOf = (): string => join(folder, 'audit.ndjson')

type Run = { readonly key?: string; readonly url?: string; readonly cursor?: string }

/** Starts the program in the folder; its group is killed after so many milliseconds. */
const send = async (killedAfterMs?: number, { key = reader.key, url, cursor }: Run = {}): Promise<number | null> => {
  const env = { ...process.env, MINTMARK_URL: url ?? service.baseUrl, MINTMARK_API_KEY: key }
  const args = [cursor ?? cursorOf(), fileOf()]
  const child = spawn(PROGRAM, args, { cwd: folder, env, stdio: 'ignore', detached: true })
  const ended = once(child, 'close') as Promise<[number | null]>
  if (killedAfterMs !== undefined) {
    await Promise.race([delay(killedAfterMs), ended])
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  return (await ended)[0]
}

const act = (): Promise<unknown> => service.createAgent()

const numbersIn = (text: string): readonly number[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { readonly n: number }).n)

/** That the file holds all entries, in order, each once. */
const assertWhole = async (): Promise<void> => {
  const response = await fetch(`${service.baseUrl}/api/v1/exports/audit`, { headers: { 'x-api-key': reader.key } })
  assert.deepEqual(numbersIn(readFileSync(fileOf(), 'utf8')), numbersIn(await response.text()).toReversed())
}

test('each run sends what is new, and none of it twice', async () => {
  await act()
  assert.equal(await send(), 0)
  await assertWhole()
  assert.equal(await send(), 0)
  await act()
  assert.equal(await send(), 0)
  await assertWhole()
})

test('what a killed run appended is not sent again, and what it half wrote is written whole', async () => {
  assert.equal(await send(), 0)
  cpSync(cursorOf(), join(folder, 'before'))
  await act()
  await act()
  assert.equal(await send(), 0)
  const lines = readFileSync(fileOf(), 'utf8').trimEnd().split('\n')
  // Killed before the cursor moved, and in the middle of the last line.
  cpSync(join(folder, 'before'), cursorOf())
  writeFileSync(fileOf(), `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, 30)}`)
  assert.equal(await send(), 0)
  await assertWhole()
})

test('killed at any moment, it loses nothing and sends nothing twice', async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await act()
    await send(kill * 5)
  }
  assert.equal(await send(), 0)
  await assertWhole()
})

test('two runs at once send each entry once', async () => {
  await act()
  const codes = await Promise.all([send(), send(), send()])
  assert.ok(codes.includes(0) && codes.every(code => code === 0 || code === 75), String(codes))
  await assertWhole()
})

test('a run that is refused, or has a damaged cursor, sends nothing and says so', async () => {
  assert.equal(await send(), 0)
  await act()
  const before = readFileSync(fileOf(), 'utf8')
  assert.notEqual(await send(undefined, { key: 'mma_wrong' }), 0)
  cpSync(cursorOf(), join(folder, 'good'))
  for (const damaged of ['', '7', '7 2026-11-30T08:00:00.000Z', 'x y z\n']) {
    writeFileSync(cursorOf(), damaged)
    assert.equal(await send(), 1, damaged)
  }
  assert.equal(readFileSync(fileOf(), 'utf8'), before)
  cpSync(join(folder, 'good'), cursorOf())
  assert.equal(await send(), 0)
  await assertWhole()
})

test('a log that lacks what was sent is another log, and nothing of it is sent', async () => {
  assert.equal(await send(), 0)
  const [, at = '', since = ''] = readFileSync(cursorOf(), 'utf8').trim().split(' ')
  writeFileSync(cursorOf(), `100000 ${at} ${since}\n`)
  rmSync(fileOf())
  appendFileSync(fileOf(), '')
  assert.equal(await send(), 1)
  assert.equal(readFileSync(fileOf(), 'utf8'), '')
})

const entry = (n: number, at: string): string =>
  `{"n":${n},"at":"${at}","kind":"agent.create","note":"\\"n\\":9","detail":{}}\n`

/** A service with a log, newest first, that answers an export by what a test says. */
const startLiar = async (t: TestContext, log: readonly string[], exported: (since: string | null) => string) => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const page = `{"data":[${(log[0] ?? '').trim()}],"next_cursor":null}`
    response.end(pathname.includes('exports') ? exported(searchParams.get('since')) : page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('entries before the time from which it asks are sent, as after a reset of the clock', async t => {
  const log = [entry(1, '2026-11-30T08:00:00.000Z')]
  const url = await startLiar(t, log, since =>
    log.filter(line => since === null || line.slice(12, 36) >= since).join(''),
  )
  assert.equal(await send(undefined, { url, cursor: 'a=b' }), 0)
  log.unshift(entry(2, '2026-11-30T07:00:00.000Z'))
  assert.equal(await send(undefined, { url, cursor: 'a=b' }), 0)
  assert.deepEqual(numbersIn(readFileSync(fileOf(), 'utf8')), [1, 2])
})

test('what is cut, or empty although there are entries, is no answer', async t => {
  const log = [entry(2, '2026-11-30T08:00:01.000Z'), entry(1, '2026-11-30T08:00:00.000Z')]
  let body = ''
  const url = await startLiar(t, log, () => body)
  for (const cut of ['', log.join('').slice(0, -1), log.join('').slice(0, -2), log[1] ?? '', log[0] ?? '']) {
    body = cut
    assert.equal(await send(undefined, { url }), 1, cut)
  }
  body = log.join('')
  assert.equal(await send(undefined, { url }), 0)
  assert.equal(readFileSync(fileOf(), 'utf8'), log.toReversed().join(''))
})
